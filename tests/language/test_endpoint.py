"""Asking a server: only where it is allowed, never for longer than it may take, and never sent elsewhere."""

from __future__ import annotations

import json
import socket
import time
from collections.abc import Iterator, Mapping
from typing import Any

import pytest
from standin_server import Handler, StandIn, serving

from postil.errors import PostilError
from postil.language import endpoint
from postil.language.endpoint import Address, Endpoint, Reply, allowed, is_near

NEAR = ["127.0.0.1", "127.8.9.1", "10.1.2.3", "172.16.0.1", "172.31.9.9", "192.168.1.20", "169.254.3.4"]
NEAR_SIX = ["::1", "fd12:3456::1", "fe80::1", "fe80::1%eth0", "::ffff:192.168.1.20"]
FAR = ["8.8.8.8", "172.32.0.1", "192.169.0.1", "100.64.0.1", "192.0.2.1", "0.0.0.0", "255.255.255.255"]  # noqa: S104
FAR_SIX = [
    "2606:4700::1",
    "::",
    "::ffff:8.8.8.8",
    "2002:808:808::1",
    "64:ff9b::808:808",
    "2001::1",
    "ff02::1",
]


@pytest.fixture
def stand_in() -> Iterator[StandIn]:
    with serving(StandIn()) as state:
        yield state


@pytest.fixture(autouse=True)
def no_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(endpoint, "_PAUSES", (0.0, 0.0))


def asked(state: StandIn, **settings: Any) -> Endpoint:
    return Endpoint(Address.parse(state.address), **settings)


def resolved(monkeypatch: pytest.MonkeyPatch, *answers: list[str]) -> list[str]:
    """Let every name mean these addresses, look-up by look-up; the names that were looked up are noted."""
    names: list[str] = []
    rest = list(answers)

    def look_up(host: str, port: int, type: int = 0) -> list[tuple[Any, ...]]:
        names.append(host)
        addresses = rest.pop(0) if len(rest) > 1 else rest[0]
        return [(socket.AF_INET, type, 6, "", (address, port)) for address in addresses]

    monkeypatch.setattr(endpoint.socket, "getaddrinfo", look_up)
    return names


@pytest.mark.parametrize("address", [*NEAR, *NEAR_SIX])
def test_near_addresses(address: str) -> None:
    assert is_near(address)


@pytest.mark.parametrize("address", [*FAR, *FAR_SIX])
def test_addresses_outside(address: str) -> None:
    assert not is_near(address)
    host = f"[{address}]" if ":" in address else address
    with pytest.raises(PostilError, match="outside your own network") as caught:
        allowed(Address.parse(f"https://{host}:8080"), public=False)
    assert "--public" in caught.value.hint


def test_every_address_of_a_name_must_be_near(monkeypatch: pytest.MonkeyPatch) -> None:
    resolved(monkeypatch, ["192.168.1.5", "8.8.8.8"])
    with pytest.raises(PostilError, match="outside"):
        allowed(Address.parse("http://models.school.example"), public=False)
    resolved(monkeypatch, ["192.168.1.5", "10.0.0.5"])
    assert len(allowed(Address.parse("http://models.school.example"), public=False)) == 2


def test_public_addresses_need_a_promise_and_encryption(monkeypatch: pytest.MonkeyPatch) -> None:
    resolved(monkeypatch, ["8.8.8.8"])
    with pytest.raises(PostilError, match="read along"):
        allowed(Address.parse("http://models.example.org"), public=True)
    assert allowed(Address.parse("https://models.example.org"), public=True)[0][1] == ("8.8.8.8", 443)


def test_a_name_that_comes_to_mean_another_computer_is_not_followed(
    stand_in: StandIn, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = resolved(monkeypatch, ["127.0.0.1"], ["8.8.8.8"])
    server = Endpoint(Address.parse(f"http://models.school.example:{stand_in.port}/v1"))
    assert server.ask("/models").good  # it was looked up once, and that address was used
    assert names == ["models.school.example"]
    assert server.ask("/models").good  # over the connection that was kept
    server.close()
    with pytest.raises(PostilError, match="outside"):
        server.ask("/models")
    assert len(names) == 2


def test_the_connection_goes_to_the_address_that_was_checked(
    stand_in: StandIn, monkeypatch: pytest.MonkeyPatch
) -> None:
    resolved(monkeypatch, ["127.0.0.1"])
    reached: list[object] = []
    connect = socket.socket.connect

    class Socket(socket.socket):
        def connect(self, target: Any) -> None:
            reached.append(target)
            connect(self, target)

    monkeypatch.setattr(endpoint.socket, "socket", Socket)
    Endpoint(Address.parse(f"http://models.school.example:{stand_in.port}")).ask("/models")
    assert reached == [("127.0.0.1", stand_in.port)]


def test_the_second_address_is_tried_where_the_first_does_not_answer(
    stand_in: StandIn, monkeypatch: pytest.MonkeyPatch
) -> None:
    resolved(monkeypatch, ["127.0.0.2", "127.0.0.1"])
    assert Endpoint(Address.parse(f"http://models.school.example:{stand_in.port}")).ask("/models").good


def test_a_server_may_have_an_address_of_six() -> None:
    try:
        with serving(StandIn(), "::1") as state:
            assert state.address.startswith("http://[::1]:")
            assert asked(state).ask("/models").content["data"]
    except OSError:
        pytest.skip("this computer has no IPv6")


@pytest.mark.parametrize(
    "text",
    [
        *(
            "",
            "localhost:8080",
            "ftp://localhost",
            "file:///etc/passwd",
            "http://",
            "http://[::1",
            "http://a b/",
        ),
        *(
            "http://localhost:99999",
            "http://localhost/v1?key=1",
            "http://localhost/#x",
            "http://me:x@localhost",
        ),
        *("http://localhost/\r\nX: 1", "http://lőcal/"),
    ],
)
def test_what_is_no_address_is_refused(text: str) -> None:
    with pytest.raises(PostilError, match="address of a server"):
        Address.parse(text)


@pytest.mark.parametrize(
    ("text", "whole"),
    [
        ("http://localhost:8080", "http://localhost:8080/v1"),
        ("http://localhost:8080/", "http://localhost:8080/v1"),
        ("HTTPS://Models.School.example/api/v1/", "https://models.school.example:443/api/v1"),
        ("http://[::1]/v1", "http://[::1]:80/v1"),
    ],
)
def test_addresses_are_completed(text: str, whole: str) -> None:
    assert str(Address.parse(text)) == whole
    assert Address.parse(whole) == Address.parse(text)


def test_connections_are_kept_and_used_again(stand_in: StandIn) -> None:
    server = asked(stand_in)
    for _ in range(5):
        assert server.ask("/models").good
    assert stand_in.connections == 1


def test_a_connection_that_was_closed_meanwhile_is_opened_again(stand_in: StandIn) -> None:
    server = asked(stand_in)
    server.ask("/models")
    server._idle[0].sock.shutdown(socket.SHUT_RDWR)
    assert server.ask("/models").good
    assert stand_in.connections == 2


def test_a_key_is_sent_and_a_proxy_of_the_environment_is_not_used(
    stand_in: StandIn, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("http_proxy", "HTTP_PROXY", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    stand_in.key = "sesame"
    assert asked(stand_in).ask("/models").status == 401
    assert asked(stand_in, key="sesame").ask("/models").good


def test_a_server_that_repeats_the_key_is_not_heard(stand_in: StandIn) -> None:
    stand_in.reply = lambda handler, _: handler.send({"error": "Bearer sesame is no key"}, 400)
    assert asked(stand_in, key="sesame").ask("/x", {}).complaint == "Bearer is no key"


@pytest.mark.parametrize("status", [301, 302, 307, 308])
def test_nobody_is_sent_on_to_another_address(stand_in: StandIn, status: int) -> None:
    with serving(StandIn()) as other:
        stand_in.reply = lambda handler, _: handler.send({}, status, Location=other.address)
        with pytest.raises(PostilError, match="another address") as caught:
            asked(stand_in).ask("/completions", {"prompt": "private"})
        assert other.asked == []
    assert "private" not in str(caught.value)


@pytest.mark.parametrize("status", [429, 502, 503, 504])
def test_a_busy_server_is_asked_three_times(stand_in: StandIn, status: int) -> None:
    stand_in.reply = lambda handler, _: handler.send({}, status)
    assert asked(stand_in).ask("/completions", {}).status == status
    assert len(stand_in.asked) == 3
    stand_in.reply = lambda handler, _: handler.send({}, status if len(stand_in.asked) < 5 else 200)
    assert asked(stand_in).ask("/completions", {}).good


def test_a_server_that_refuses_is_asked_once(stand_in: StandIn) -> None:
    stand_in.reply = lambda handler, _: handler.send({"error": {"message": "no\n\x1b[31m"}}, 400)
    reply = asked(stand_in).ask("/completions", {})
    assert (reply.status, reply.complaint) == (400, "no [31m")
    assert len(stand_in.asked) == 1


def test_a_server_that_breaks_off_is_asked_three_times(stand_in: StandIn) -> None:
    def hang_up(handler: Handler, _: Mapping[str, Any]) -> None:
        handler.close_connection = True

    stand_in.reply = hang_up
    with pytest.raises(PostilError, match="no server answers at"):
        asked(stand_in).ask("/completions", {})
    assert len(stand_in.asked) == 3


def test_where_nobody_listens_the_message_says_so() -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with pytest.raises(
        PostilError, match=rf"no server answers at http://127.0.0.1:{port} \(.*refused"
    ) as caught:
        Endpoint(Address.parse(f"http://127.0.0.1:{port}")).ask("/models")
    assert "Is it running" in caught.value.hint


def test_an_unknown_name_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    def unknown(*about: object, **more: object) -> None:
        raise socket.gaierror(-2, "Name or service not known")

    monkeypatch.setattr(endpoint.socket, "getaddrinfo", unknown)
    with pytest.raises(PostilError, match=r"the name models\.school\.example is unknown"):
        Endpoint(Address.parse("http://models.school.example")).ask("/models")


def drip(handler: Handler, _: Mapping[str, Any]) -> None:
    """Send an answer a byte at a time, for longer than anybody waits for it."""
    try:
        for sign in b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n" + b" " * 1000:
            handler.wfile.write(bytes([sign]))
            time.sleep(0.02)
    except OSError:
        handler.close_connection = True


@pytest.mark.parametrize("reply", [lambda *_: time.sleep(1), drip])
def test_a_slow_server_is_given_up_and_not_asked_again(stand_in: StandIn, reply: Any) -> None:
    stand_in.reply = reply
    begun = time.monotonic()
    with pytest.raises(PostilError, match=r"took more than 0\.2 seconds") as caught:
        asked(stand_in, patience=0.2).ask("/completions", {"prompt": "private"})
    assert time.monotonic() - begun < 0.9
    assert len(stand_in.asked) == 1
    assert "private" not in str(caught.value)


@pytest.mark.parametrize(
    "data", [b"", b"{", b"\xff\xfe", b"<html>", b"[" * 100_000, b'{"choices": [{"logprobs": ']
)
def test_broken_json_is_nothing(stand_in: StandIn, data: bytes) -> None:
    stand_in.reply = lambda handler, _: handler.send_bytes(data)
    assert asked(stand_in).ask("/completions", {}) == Reply(200, None)


def test_an_answer_that_is_cut_off_is_nothing(stand_in: StandIn) -> None:
    def cut(handler: Handler, _: Mapping[str, Any]) -> None:
        handler.close_connection = True
        handler.send_bytes(b'{"choices"', 200, **{"Content-Length": "5000"})

    stand_in.reply = cut
    assert asked(stand_in).ask("/completions", {}) == Reply(200, None)


def test_an_answer_without_end_is_refused(stand_in: StandIn) -> None:
    stand_in.reply = lambda handler, _: handler.send_bytes(b" " * (endpoint._LONGEST_REPLY + 2))
    with pytest.raises(PostilError, match="far more"):
        asked(stand_in).ask("/completions", {})


def test_no_more_requests_at_once_than_allowed(stand_in: StandIn) -> None:
    from concurrent.futures import ThreadPoolExecutor

    stand_in.pause = 0.02
    stand_in.reply = lambda handler, _: handler.send({})
    server = asked(stand_in, at_once=3)
    with ThreadPoolExecutor(12) as pool:
        assert all(reply.good for reply in pool.map(lambda _: server.ask("/x", {}), range(24)))
    assert stand_in.together == 3
    assert stand_in.connections == 3


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        ({"error": {"message": "a"}}, "a"),
        ({"error": "b"}, "b"),
        ({"message": "c"}, "c"),
        *((content, "") for content in (None, [], "x", {}, {"error": 3}, {"error": {"message": [1]}})),
    ],
)
def test_complaints(content: object, complaint: str) -> None:
    assert Reply(400, json.loads(json.dumps(content))).complaint == complaint
