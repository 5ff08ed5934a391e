"""A language model behind a server as a reader: how it is connected, what it is asked, what comes of it."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.special import softmax
from standin_server import MODEL, Handler, StandIn, serving, texts_of

import postil
from postil.entailment.entailer import load_entailer
from postil.errors import InputError, MissingDataError, PostilError
from postil.grading.decision import LABELS
from postil.grading.evidence import ENCODER, EVIDENCE
from postil.grading.probabilities import trusting
from postil.language import endpoint, network
from postil.language.model_files import notes_file
from postil.language.network import READER_SETTING, SERVER
from postil.language.server import KEY_SETTING, Connection, Server, connect, disconnect, log_file
from postil.research.benchmarks import run_responses
from postil.research.shipped import ShippedEntailer

QUESTION = "Why does a puddle disappear on a sunny day?"
REFERENCE = "The water evaporates because the sun warms it."
RIGHT, WRONG = "it evaporates because the sun warms the water", "somebody drank from there"
HEADS = ("response", "claim", "nli")
NAME = f"{SERVER}:{MODEL}"


@pytest.fixture(autouse=True)
def nobody_connected(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[None]:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.delenv(KEY_SETTING, raising=False)
    monkeypatch.setattr(endpoint, "_PAUSES", (0.0, 0.0))
    network.reader.cache_clear()
    yield
    network.reader.cache_clear()


@pytest.fixture
def stand_in() -> Iterator[StandIn]:
    with serving(StandIn()) as state:
        yield state


@pytest.fixture
def connected(stand_in: StandIn) -> StandIn:
    connect(stand_in.address)
    stand_in.asked.clear()
    return stand_in


def reader() -> Server:
    return Server(Connection.demanded())


def used() -> list[Mapping[str, Any]]:
    path = log_file()
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()] if path.exists() else []


def test_a_server_is_connected_once_it_has_told_how_probable_words_are(stand_in: StandIn) -> None:
    connection = connect(stand_in.address)
    assert connection == Connection.known()
    assert (connection.address, connection.model) == (stand_in.address, MODEL)
    assert len(stand_in.asked) == 1
    (asked,) = stand_in.asked
    assert (asked["max_tokens"], asked["temperature"], asked["logprobs"], asked["top_logprobs"]) == (
        1,
        0,
        True,
        20,
    )
    assert texts_of(stand_in.prompts[0])["Question"] == "What do plants need to grow?"
    assert disconnect()
    assert Connection.known() is None
    assert not disconnect()


def test_without_a_server_the_message_says_how_to_connect_one() -> None:
    for ask in (lambda: postil.load(reader=SERVER), lambda: postil.load(reader=NAME), reader):
        with pytest.raises(MissingDataError, match=r"postil readers connect http://localhost"):
            ask()


@pytest.mark.parametrize("kind", ["completion", "table"])
@pytest.mark.parametrize("most", [20, 5])
def test_a_server_without_chats_completes_texts(stand_in: StandIn, kind: str, most: int) -> None:
    stand_in.kind, stand_in.most = kind, most
    manner = connect(stand_in.address).manner
    assert (manner.chat, manner.words) == (False, most)
    logits = reader().pairs([(RIGHT, REFERENCE)], HEADS, QUESTION)
    assert all(values.argmax() == 0 for values in logits.values())


@pytest.mark.parametrize("setting", ["chat_template_kwargs", "reasoning_effort"])
def test_a_model_that_thinks_first_is_told_not_to(stand_in: StandIn, setting: str) -> None:
    stand_in.thinks = setting
    assert list(connect(stand_in.address).manner.extra) == [setting]
    reader().pairs([(RIGHT, REFERENCE)])
    assert setting in stand_in.asked[-1]


def test_a_model_that_only_thinks_is_refused(stand_in: StandIn) -> None:
    stand_in.thinks = "whatever"
    with pytest.raises(PostilError, match="does not answer with one of the words") as caught:
        connect(stand_in.address)
    assert "think" in caught.value.hint
    assert Connection.known() is None


def test_a_server_that_does_not_list_words_is_refused_with_what_it_says(stand_in: StandIn) -> None:
    stand_in.reply = lambda handler, _: handler.send({"choices": [{"text": "correct", "logprobs": None}]})
    with pytest.raises(PostilError, match="does not tell how probable words of 'tiny-1b' are"):
        connect(stand_in.address)
    stand_in.reply = lambda handler, _: handler.send({"error": {"message": "start with logits_all"}}, 500)
    with pytest.raises(PostilError, match="It says: start with logits_all"):
        connect(stand_in.address)
    only = {"content": [{"token": "correct", "logprob": 0, "top_logprobs": []}]}
    stand_in.reply = lambda handler, _: handler.send({"choices": [{"logprobs": only}]})
    with pytest.raises(PostilError, match="does not tell"):
        connect(stand_in.address)
    assert Connection.known() is None


def test_the_model_must_be_there(stand_in: StandIn) -> None:
    with pytest.raises(PostilError, match="has no model 'huge-70b'") as caught:
        connect(stand_in.address, "huge-70b")
    assert "It has 'tiny-1b'" in caught.value.hint
    stand_in.models.append("other")
    with pytest.raises(PostilError, match="does not say which model to ask"):
        connect(stand_in.address)
    assert connect(stand_in.address, "other").model == "other"
    stand_in.models.clear()
    with pytest.raises(PostilError, match="does not tell"):
        connect(stand_in.address, "other")


@pytest.mark.parametrize("model", ["gpt-oss:120b-cloud", "kimi-k2:cloud"])
def test_a_model_that_runs_elsewhere_is_refused(stand_in: StandIn, model: str) -> None:
    stand_in.models = [model]
    with pytest.raises(PostilError, match="in its maker's cloud"):
        connect(stand_in.address)
    assert stand_in.asked == []
    assert connect(stand_in.address, public=True).model == model


def test_public_addresses_are_refused_before_anything_is_sent(stand_in: StandIn, monkeypatch) -> None:
    monkeypatch.setattr(endpoint, "is_near", lambda address: False)
    with pytest.raises(PostilError, match="outside your own network"):
        connect(stand_in.address)
    with pytest.raises(PostilError, match="https"):
        connect(stand_in.address, public=True)
    assert (stand_in.connections, stand_in.asked) == (0, [])


def test_a_server_that_moves_out_of_the_network_gets_nothing(connected: StandIn, monkeypatch) -> None:
    monkeypatch.setattr(endpoint, "is_near", lambda address: False)
    with pytest.raises(PostilError, match="outside your own network"):
        reader().pairs([(RIGHT, REFERENCE)])
    assert connected.asked == []


@pytest.mark.parametrize("written", ["sesame\n", "  sesame"])
def test_a_key_comes_from_a_file_or_the_environment_and_is_written_nowhere(
    stand_in: StandIn, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, written: str
) -> None:
    stand_in.key = "sesame"
    with pytest.raises(PostilError, match="wants a key") as caught:
        connect(stand_in.address)
    assert "--key-file" in caught.value.hint
    file = tmp_path / "key"
    file.write_text(written)
    connect(stand_in.address, key_file=file)
    reader().pairs([(RIGHT, REFERENCE)])
    monkeypatch.setenv(KEY_SETTING, "sesame")
    connect(stand_in.address)
    monkeypatch.setenv(KEY_SETTING, "other")
    with pytest.raises(PostilError, match="wants a key") as caught:
        reader().pairs([(RIGHT, REFERENCE)])
    kept = notes_file().read_text() + log_file().read_text() + str(caught.value)
    assert "sesame" not in kept
    assert "other" not in kept.replace("another", "")


@pytest.mark.parametrize("content", [b"two words", b"\xff", "schlüssel".encode(), b"a\nb", b"a\x00b"])
def test_a_key_that_cannot_be_one_is_refused(stand_in: StandIn, tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "key"
    file.write_bytes(content)
    with pytest.raises(PostilError, match="key") as caught:
        connect(stand_in.address, key_file=file)
    assert "schl" not in str(caught.value)
    with pytest.raises(InputError, match="cannot be read"):
        connect(stand_in.address, key_file=tmp_path / "nobody")
    assert stand_in.connections == 0


@pytest.mark.parametrize(
    "settings", [{"at_once": 0}, {"at_once": 65}, {"patience": 0.5}, {"patience": math.inf}]
)
def test_settings_out_of_reason_are_refused(stand_in: StandIn, settings: dict[str, Any]) -> None:
    with pytest.raises(PostilError, match="between 1 and"):
        connect(stand_in.address, **settings)


def test_what_the_model_says_next_is_the_label(connected: StandIn) -> None:
    pairs = [(RIGHT, REFERENCE), (WRONG, REFERENCE), (RIGHT, REFERENCE)]
    logits = reader().pairs(pairs, HEADS, QUESTION)
    assert [logits[head].shape for head in HEADS] == [(3, 5), (3, 3), (3, 3)]
    for head in HEADS:
        assert logits[head].dtype == np.float32
        assert (
            logits[head][0].argmax() == 0 < logits[head][1].argmax()
            or logits[head][1][0] < logits[head][0][0]
        )
    assert len(connected.asked) == 6  # what is the same is asked once
    empty = reader().pairs([], HEADS)
    assert [empty[head].shape for head in HEADS] == [(0, 5), (0, 3), (0, 3)]


def test_a_statement_does_not_depend_on_the_question(connected: StandIn) -> None:
    server = reader()
    server.pairs([(RIGHT, REFERENCE)], ("nli",), QUESTION)
    server.pairs([(RIGHT, REFERENCE)], ("nli",), "Another question?")
    assert len(connected.asked) == 1


def test_what_was_read_is_remembered_until_it_is_forgotten(connected: StandIn) -> None:
    server = reader()
    first = server.pairs([(RIGHT, REFERENCE)], question=QUESTION)["response"]
    again = server.pairs([(WRONG, REFERENCE), (RIGHT, REFERENCE)], question=QUESTION)["response"]
    assert (first[0] == again[1]).all()
    assert len(connected.asked) == 2
    server.forget()
    server.pairs([(RIGHT, REFERENCE)], question=QUESTION)
    assert len(connected.asked) == 3


def test_answers_are_read_several_at_once_over_connections_that_are_kept(stand_in: StandIn) -> None:
    connect(stand_in.address, at_once=3)
    stand_in.pause, before = 0.01, stand_in.connections
    reader().pairs([(f"answer {number}", REFERENCE) for number in range(20)], question=QUESTION)
    assert stand_in.together == 3
    assert stand_in.connections - before == 3


def test_each_use_is_noted_without_any_texts(connected: StandIn) -> None:
    assert used() == []
    reader().pairs([(RIGHT, REFERENCE), (WRONG, REFERENCE)], question=QUESTION)
    (entry,) = used()
    assert {**entry, "time": ""} == {"time": "", "server": connected.address, "model": MODEL, "answers": 2}
    kept = log_file().read_text()
    assert not any(
        word in kept for text in (RIGHT, WRONG, REFERENCE, QUESTION) for word in text.split() if len(word) > 4
    )


def test_what_cannot_be_noted_is_not_sent(connected: StandIn) -> None:
    log_file().mkdir(parents=True)
    with pytest.raises(InputError, match="nothing was sent"):
        reader().pairs([(RIGHT, REFERENCE)])
    assert connected.asked == []


def test_a_log_that_has_grown_long_is_begun_again(connected: StandIn, monkeypatch) -> None:
    monkeypatch.setattr("postil.language.server._LONGEST_LOG", 120)
    server = reader()
    for number in range(4):
        server.pairs([(f"answer {number}", REFERENCE)])
    assert len(used()) == 2
    assert len(log_file().with_name("readers.log.1").read_text().splitlines()) == 2


@pytest.mark.parametrize(
    ("reply", "message"),
    [
        (lambda handler, _: handler.send({"error": RIGHT}, 400), r"could not read a text \(HTTP 400\)"),
        (lambda handler, _: handler.send({"error": RIGHT}, 500), r"could not read a text \(HTTP 500\)"),
        (lambda handler, _: handler.send({"error": RIGHT}, 404), "no longer has the model 'tiny-1b'"),
        (lambda handler, _: handler.send({"error": RIGHT}, 403), "wants a key"),
        (lambda handler, _: handler.send({"choices": [{"text": RIGHT}]}), "without log-probabilities"),
        (lambda handler, _: handler.send_bytes(RIGHT.encode()), "without log-probabilities"),
        (lambda handler, _: handler.send([RIGHT]), "without log-probabilities"),
        (lambda handler, _: handler.send({}, 302, Location="http://8.8.8.8/"), "another address"),
    ],
)
def test_what_goes_wrong_is_said_without_repeating_an_answer(
    connected: StandIn, reply: Any, message: str
) -> None:
    connected.reply = reply
    with pytest.raises(PostilError, match=message) as caught:
        postil.load(reader=SERVER).grade(QUESTION, [REFERENCE], RIGHT)
    assert RIGHT not in str(caught.value)


def test_a_server_that_goes_away_in_the_middle_ends_the_class(connected: StandIn, monkeypatch) -> None:
    monkeypatch.setattr(endpoint, "_PAUSES", (0.0, 0.2))

    def reply(handler: Handler, asked: Mapping[str, Any]) -> None:
        if len(connected.asked) > 5:
            handler.close_connection = True
        else:
            handler._answer(asked)

    connected.reply = reply
    with pytest.raises(PostilError, match="no server answers"):
        reader().pairs([(f"answer {number}", REFERENCE) for number in range(200)])
    assert len(connected.asked) < 50


def test_a_label_that_is_not_among_the_likely_words_gets_what_is_left(connected: StandIn) -> None:
    listed = [{"token": "correct", "logprob": math.log(0.9)}, {"token": "The", "logprob": math.log(0.05)}]
    content = {"content": [{"top_logprobs": listed}]}
    connected.reply = lambda handler, _: handler.send({"choices": [{"logprobs": content}]})
    chances = softmax(reader().pairs([(RIGHT, REFERENCE)])["response"][0])
    assert chances == pytest.approx(np.array([0.9, 0.05, 0.05, 0.05, 0.05]) / 1.1, abs=1e-5)


def test_where_no_label_is_likely_a_person_decides(connected: StandIn) -> None:
    content = {"content": [{"top_logprobs": [{"token": "As", "logprob": -1e-9}]}]}
    connected.reply = lambda handler, _: handler.send({"choices": [{"logprobs": content}]})
    judged = postil.load(reader=SERVER).grade(QUESTION, [REFERENCE], RIGHT)
    assert judged.deferred
    assert judged.probabilities["5way"]["correct"] == pytest.approx(0.2)


def test_it_grades_and_judgements_name_the_model(connected: StandIn) -> None:
    question = postil.Question("q", QUESTION, (postil.Reference("r", REFERENCE),))
    grader = postil.load(reader=SERVER)
    right, wrong, empty = grader.grade_class(question, [RIGHT, WRONG, ""])
    assert (right.labels["2way"], wrong.labels["2way"]) == ("correct", "incorrect")
    assert (right.reader, wrong.reader, empty.reader) == (NAME, NAME, "")
    assert grader.reader == postil.load(reader=NAME).reader == NAME
    assert {text for prompt in connected.prompts for text in texts_of(prompt).values()} >= {
        QUESTION,
        REFERENCE,
    }
    assert network.reader(SERVER) is network.reader(NAME)
    with pytest.raises(PostilError, match="'server:other' is asked for"):
        postil.load(reader="server:other")


@pytest.mark.parametrize(
    ("model", "name"),
    [
        ("qwen2.5:7b", "server:qwen2.5:7b"),
        ("Qwen/Qwen2.5-7B-Instruct", "server:Qwen/Qwen2.5-7B-Instruct"),
        ("/home/ada/my models/tiny 4|bit.gguf", "server:tiny_4_bit.gguf"),
        (r"C:\models\tiny.gguf", "server:tiny.gguf"),
    ],
)
def test_a_model_has_a_name_that_signatures_can_hold(model: str, name: str) -> None:
    assert Connection("http://localhost/v1", model).name == name


def test_it_is_never_the_default_unless_somebody_says_so(
    connected: StandIn, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv(READER_SETTING)
    assert postil.load().reader != NAME
    monkeypatch.setenv(READER_SETTING, SERVER)
    assert postil.load().reader == network.default_reader() == NAME


def test_labels_of_a_teacher_move_what_it_says(connected: StandIn) -> None:
    answers = ["the sun warms the water somewhat", "the sun warms it"]
    question = postil.Question("q", QUESTION, (postil.Reference("r", REFERENCE),))
    before = postil.load(reader=SERVER).grade_class(question, answers)[0]
    after = postil.load(reader=SERVER).grade_class(question, answers[:1], [(answers[1], "correct")])[0]
    assert after.probabilities["5way"]["correct"] > before.probabilities["5way"]["correct"] + 0.05


def test_a_reader_of_which_nothing_is_known_is_taken_at_its_word_and_seldom_passes() -> None:
    stack = trusting(NAME).stacks["new"]
    table = np.zeros((2, len(EVIDENCE)))
    said = np.array([[0.9, 0.05, 0.03, 0.01, 0.01], [1e-6, 0.5, 0.3, 0.1, 0.1]])
    table[:, [EVIDENCE.index(name) for name in ENCODER]] = np.log(said)
    assert stack.probabilities(table) == pytest.approx(said, rel=1e-4)
    assert stack.pass_level > 0.95
    assert stack.threshold(0.5) > 1  # nobody has measured how often it is right
    assert len(stack.weights) == len(LABELS)


def test_a_model_that_was_trained_belongs_to_the_server_s_model(connected: StandIn, tmp_path: Path) -> None:
    questions = [
        postil.Question(
            str(number), f"Why is number {number} wet?", (postil.Reference("r", REFERENCE),),
            tuple(
                postil.Answer(str(place), text, label)
                for place, (text, label) in enumerate([(RIGHT, "correct"), (WRONG, "irrelevant")] * 5)
            ),
        )
        for number in range(2)
    ]  # fmt: skip
    from postil.grader import train

    train(questions, tmp_path / "model", reader=SERVER)
    assert postil.load(tmp_path / "model").reader == NAME
    assert postil.load(tmp_path / "model", reader=SERVER).reader == NAME
    connected.models.append("other")
    connect(connected.address, "other")
    with pytest.raises(PostilError, match=f"'{NAME}' is asked for"):
        postil.load(tmp_path / "model")
    with pytest.raises(PostilError, match="was trained with"):
        postil.load(tmp_path / "model", reader=SERVER)


def test_it_judges_entailment_where_it_is_the_default(
    connected: StandIn, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(READER_SETTING, SERVER)
    entailer = load_entailer()
    assert entailer.reader.name == NAME
    same, other = entailer.judge(
        [("The bulb is lit.", "The bulb is lit."), ("The bulb is lit.", "Cats purr.")]
    )
    assert (same.label, other.label) == ("ENTAILMENT", "UNKNOWN")
    assert sum(same.probabilities.values()) == pytest.approx(1)
    assert ShippedEntailer().reader == NAME


def test_a_benchmark_s_signature_names_the_model(connected: StandIn, tmp_path: Path) -> None:
    for place, name in enumerate(("train", "test-unseen-answers")):
        folder = tmp_path / "beetle" / name
        folder.mkdir(parents=True)
        (folder / "one.xml").write_text(
            f'<question id="q{place}" module="m"><questionText>{QUESTION}</questionText><referenceAnswers>'
            f'<referenceAnswer id="r">{REFERENCE}</referenceAnswer></referenceAnswers><studentAnswers>'
            f'<studentAnswer id="a{place}" accuracy="correct">{RIGHT}</studentAnswer>'
            f'<studentAnswer id="b{place}" accuracy="incorrect">{WRONG}</studentAnswer>'
            "</studentAnswers></question>"
        )
    result = run_responses(tmp_path, test=tmp_path, system="postil-server")
    assert f"|reader:{NAME}|" in result.signature


@pytest.mark.parametrize(
    "server",
    [
        *([], {"address": "http://localhost"}, {"address": 3, "model": "m", "manner": {}}),
        {"address": "nowhere", "model": "m", "manner": {}},
        {"address": "http://localhost", "model": "m", "manner": {"turn": 3}},
        {"address": "http://localhost", "model": "m", "manner": {"extra": "more"}},
        {"address": "http://localhost", "model": "m", "manner": {}, "public": "no"},
        {"address": "http://localhost", "model": "m", "manner": {}, "at_once": "many"},
        {"address": "http://localhost", "model": "m", "manner": {}, "extra": 1},
    ],
)
def test_damaged_notes_are_refused(server: object) -> None:
    notes_file().parent.mkdir(parents=True)
    notes_file().write_text(json.dumps({"format": 1, "models": {}, "server": server}))
    with pytest.raises(InputError, match=r"cannot be read|is damaged") as caught:
        reader()
    assert caught.value.hint


def test_connecting_keeps_what_is_noted_of_models(stand_in: StandIn) -> None:
    notes_file().parent.mkdir(parents=True)
    models = {"expert": {"path": "/srv/model.gguf", "sha256": "0"}}
    notes_file().write_text(json.dumps({"format": 1, "models": models}))
    connect(stand_in.address)
    assert json.loads(notes_file().read_text())["models"] == models
    disconnect()
    assert json.loads(notes_file().read_text()) == {"format": 1, "models": models}
