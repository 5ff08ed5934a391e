"""Passwords that are easy to guess are refused with the reason, and all others are accepted."""

from __future__ import annotations

from time import perf_counter

import pytest
from webclient import make_account, stranger

from postil.errors import PostilError
from postil.workbench.app import create_app
from postil.workbench.settings import Settings
from postil.workbench.store import accounts, logins
from postil.workbench.store.passwords import _SENTENCES, Weakness, demand_password, weakness_of

WHO = {
    "login": "anna.etxeberria@hillside.sch.example",
    "name": "Anna Etxeberria López",
    "site": "marks.riverdale.example",
}
REFUSED = {
    Weakness.COMMON: """password12 Password123! P@ssw0rd2024 passw0rd!! sunshine2024 iloveyou123 I_love_you!!!
        Liverpool1! mathematics1 Chemistry2026 elizabeth99 Hernandez1990 letmein2024 !!dragon!!99
        homelesspa Hellokitty2024! Wall.E.2024
        postilpassword1 basketball 1234password pr1ncess2020""",
    Weakness.DIGITS: "8391047265 12.05.1987 +44_113_496_0000 4929-1234-5678 x8391047265 !?#$%&!?#$%&",
    Weakness.REPEATED: """aaaaaaaaaa abcabcabcabc passwordpassword Anna1Anna1Anna1 abababababa aabbaabbab
        Zutzut2026!! password1password2 admin1admin2""",
    Weakness.KEYS: """qwertyuiop! 1qaz2wsx3edc asdfghjkl123 abcdefghijk QWERTZuiop12 azertyuiop99 1q2w3e4r5t6y
        mnbvcxz12345""",
    Weakness.PERSON: """anna.etxeberria Etxeberria1987 EtxeberriaAnna! 4nna3txeberria lopez-lopez-2
        anna2024anna! Anna.Lopez.99""",
    Weakness.SITE: "postil2026!! Hillside2026! riverdale-2026 p0stil-p0stil! postil.hillside",
}
TAKEN = [
    *("correct horse battery", "three quiet words", "quite another password", "café du matin", "kQ9!zR-x2v"),
    *("Anna met eleven penguins", "postil reads my essays", "property of nobody else", "xkT7-hq2P-94Lm"),
    *("zuhaitz berde handia", "πέντε μικρά ψάρια", "снег идёт медленно", "秋の夜長に読書する人"),
    *("hillside garden lamp", "expert party people"),
]


@pytest.mark.parametrize(
    ("weakness", "password"),
    [(weakness, password) for weakness in REFUSED for password in REFUSED[weakness].split()],
)
def test_what_is_guessed_first_is_refused_with_the_reason(weakness, password):
    assert weakness_of(password, **WHO) == weakness
    with pytest.raises(PostilError) as raised:
        demand_password(password, **WHO)
    assert raised.value.what == _SENTENCES[weakness]
    assert password not in str(raised.value)


@pytest.mark.parametrize("password", TAKEN)
def test_what_is_hard_to_guess_is_taken(password):
    assert demand_password(password, **WHO)


def test_every_weakness_is_told_in_words():
    assert set(_SENTENCES) == set(Weakness) == set(REFUSED)


def test_somebody_elses_name_is_not_ones_own():
    assert weakness_of("Etxeberria1987", "bea", "Bea") is None
    assert weakness_of("Hillside Road 7!", "bea", "Bea") is None


def test_the_longest_password_takes_no_longer():
    started = perf_counter()
    for password in ("ab" * 99 + "cd", "qwertyuiop" * 20, "1q2w3e4r5t" * 19 + "x", "a1" * 100):
        weakness_of(password, "a" * 80, "b " * 100, "c." * 100)
    assert perf_counter() - started < 5


@pytest.mark.parametrize("purpose", ["owner", "invitation", "reset"])
def test_every_form_for_a_password_refuses_a_weak_one(store, tmp_path, purpose):
    settings = Settings(tmp_path / "workbench.db", local=False, address="https://marks.riverdale.example")
    client = stranger(create_app(settings, store))
    account = None if purpose == "owner" else make_account(store, "ane").id
    token = logins.make_link(store, purpose, account)
    for password, told in (("riverdale-2026", "name of your school"), ("Sunshine2026", "a common one")):
        form = {"token": token, "name": "Ane", "login": "ane", "password": password, "again": password}
        answer = client.post("/open", data=form)
        assert answer.status_code == 400
        assert told in answer.text
        assert password not in answer.text
    assert logins.peek_link(store, token)


def test_a_weak_password_from_before_still_opens_the_account(store):
    ane = make_account(store, "ane", "teacher", "password12")
    assert accounts.check_password(store, "ane", "password12") == ane
    with pytest.raises(PostilError, match="common"):
        logins.change_password(store, ane.id, "password12")
