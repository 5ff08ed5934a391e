"""The pages of double labelling: they show only the text, obey the store, and are closed to others."""

from __future__ import annotations

import io
import json
import re
import zipfile
from html import unescape

import pytest
from classroom import Browser
from labellers import PARTLY, add_people, make, play, say
from stub_machine import StubMachine
from typer.testing import CliRunner

from postil.cli.main import app as postil
from postil.data.formats.tables import read_table
from postil.senses.corpus.agreement import measure_agreement
from postil.senses.corpus.sheets import write_taggings
from postil.workbench.jobs import worker
from postil.workbench.records import Level
from postil.workbench.store import jobs, rounds
from postil.workbench.store.access import hand_over, share_course
from postil.workbench.store.courses import get_question
from postil.workbench.store.decisions import current, teaching

NAMES = re.compile(r"Pupil [A-D]")
OF = re.compile(r'name="of" value="([0-9a-f]+)"')
TEXTS = {"a": "the path is closed", "b": "it is open", "c": "Électricité", "d": "100% <b>sure</b>"}


@pytest.fixture
def people(store):
    return add_people(store)


@pytest.fixture
def round_id(store, graded, people):
    """A round about the class, which is Zoe's and was graded."""
    hand_over(store, get_question(store, graded).course_id, people.zoe.id)
    return make(store, graded, people, seed=7)


@pytest.fixture
def told(ids):
    """What Ann and Ben say of the four answers: they differ about b and d."""
    return [
        (ids["a"], "correct", "correct"),
        (ids["b"], "contradictory", "irrelevant"),
        (ids["c"], "X", "X"),
        (ids["d"], PARTLY, "correct"),
    ]


@pytest.fixture
def browse(store, tmp_path):
    """A function that gives the browser of somebody."""
    return lambda person: Browser(store, tmp_path, login=person.login)


def label_all(browser, round_id, labels, task="label", **more) -> list[str]:
    """Label what comes, by the words of the answers, until there is nothing left; returns the pages."""
    pages = [browser.get(f"/rounds/{round_id}/{task}").text]
    while found := OF.search(pages[-1]):
        key = next(key for key, text in TEXTS.items() if text in unescape(pages[-1]))
        pages.append(browser.post(f"/rounds/{round_id}/{task}", of=found[1], label=labels[key], **more).text)
    return pages


def shown_label(page: str) -> str:
    """What a page says in its content; the choice of labels itself is on every one."""
    main = page[page.index("<main") : page.index("</main>")]
    return re.sub(r'<button class="choice.*?</button>', "", main, flags=re.DOTALL)


def test_two_people_label_blind_and_a_third_settles(store, graded, ids, people, round_id, browse):
    ann, ben, eva = browse(people.ann), browse(people.ben), browse(people.eva)
    assert "To label (1)" in ann.get("/rounds").text
    first = dict(zip("abcd", ("correct", "contradictory", "X", PARTLY), strict=True))
    second = dict(zip("abcd", ("correct", "irrelevant", "X", "correct"), strict=True))
    pages = label_all(ann, round_id, first, seconds="2.5", note="seen by ann")
    assert len(pages) == 5
    assert "Thank you" in pages[-1]
    assert "still working" in pages[-1]
    pages += label_all(ben, round_id, second, seconds="", opened="0", note="seen by ben")
    assert "referee decides" in pages[-1]
    # Nobody who labels sees who wrote it, what Postil says, or what the other says.
    for page in pages:
        assert not NAMES.search(page)
        assert not re.search(r'[>\s"]a[\s<"]*</td>|/answers/\d', page)
        assert "Postil says" not in page
        assert "contradicts" not in shown_label(page)
        assert "off the point" not in shown_label(page)
    assert all("seen by ann" not in page for page in pages[5:])
    work = rounds.get_work(store, round_id)
    assert [one.seconds for one in work.of(people.ann).values()] == [2.5] * 4
    assert [one.seconds for one in work.of(people.ben).values()] == [None] * 4

    assert "To label (1)" in eva.get("/rounds").text
    page = eva.get(f"/rounds/{round_id}/settle").text
    assert "The two labels" in page
    assert not re.search("Ann|Ben|Pupil", page[page.index("<main") :].replace("seen by", ""))
    pages = label_all(eva, round_id, {"b": "irrelevant", "d": PARTLY}, task="settle")
    assert "Everything is settled" in pages[-1]
    assert "To label</a>" in eva.get("/rounds").text

    zoe = browse(people.zoe)
    assert "Use as decisions" in zoe.get(f"/rounds/{round_id}").text
    page = zoe.post(f"/rounds/{round_id}/close").text
    assert "3 labels now count as decisions." in page
    assert {(one.answer_id, one.label) for one in teaching(store, graded)} == {
        (ids["a"], "correct"),
        (ids["b"], "irrelevant"),
        (ids["d"], PARTLY),
    }
    # The class was graded before, so what would change is shown first.
    assert jobs.latest_job(store, graded).kind == "regrade"
    assert "Two people gave this label." in zoe.get(f"/questions/{graded}").text


def test_until_both_have_finished_a_labeller_sees_only_their_own_progress(
    store, graded, ids, people, round_id, browse, told
):
    say(store, round_id, people.ann, {id: label for id, label, _ in told[:3]})
    page = browse(people.ben).get(f"/rounds/{round_id}").text
    assert "0 of 4" in page
    assert "3 of 4" not in page
    page = browse(people.zoe).get(f"/rounds/{round_id}").text
    assert "3 of 4" in page
    assert "How far they agree" not in page
    assert not re.search(r">\s*Settle", page)  # what people read; htmx has a setting of that name


def test_who_labels_blind_is_kept_from_the_questions_pages(
    store, graded, ids, people, round_id, browse, told
):
    share_course(store, get_question(store, graded).course_id, people.ann.id, Level.TEACH)
    ann = browse(people.ann)
    course = f"/courses/{get_question(store, graded).course_id}"
    addresses = (f"/questions/{graded}", f"/answers/{ids['a']}", f"{course}/report", f"{course}/export.xlsx")
    for address in addresses:
        page = ann.get(address, status=403).text
        assert f"/rounds/{round_id}" in page
    # Who has finished before the other can still change labels.
    say(store, round_id, people.ann, {id: label for id, label, _ in told})
    for address in addresses:
        ann.get(address, status=403)
    assert "cannot see what Postil or anyone else" in ann.get(f"/rounds/{round_id}").text
    say(store, round_id, people.ben, {id: label for id, _, label in told})
    for address in addresses:
        ann.get(address)


def test_another_round_of_the_question_shows_nothing_to_who_labels_blind(
    store, graded, ids, people, round_id, browse, told
):
    share_course(store, get_question(store, graded).course_id, people.ann.id, Level.TEACH)
    play(store, round_id, people, told)
    say(store, round_id, people.eva, {ids["b"]: "irrelevant", ids["d"]: PARTLY})
    settled = rounds.make_round(store, graded, people.ben.id, people.eva.id, people.ann.id)
    say(store, settled, people.ben, dict.fromkeys(ids.values(), "correct"))
    say(store, settled, people.eva, dict.fromkeys(ids.values(), "irrelevant"))
    ann = browse(people.ann)
    shown = (
        f"/rounds/{round_id}",
        f"/rounds/{round_id}/corpus.zip",
        f"/rounds/{settled}",
        f"/rounds/{settled}/settle",
    )
    for address in shown:
        ann.get(address)
    blind, other = make(store, graded, people), make(store, graded, people)
    for address in shown:
        assert f"/rounds/{blind}" in ann.get(address, status=403).text
    assert ann.post(f"/rounds/{round_id}/close").status_code == 403
    # Those which she labels herself are blind, and open.
    for number in (blind, other):
        assert OF.search(ann.get(f"/rounds/{number}/label").text)
        assert "How far they agree" not in ann.get(f"/rounds/{number}").text


def test_only_the_owner_of_a_course_lets_others_see_its_answers(store, graded, people, round_id, browse):
    course_id = get_question(store, graded).course_id
    share_course(store, course_id, people.ben.id, Level.TEACH)
    rounds.drop_round(store, round_id)
    ben, address = browse(people.ben), f"/questions/{graded}/rounds"
    assert "all three must be in this course" in ben.get(address).text
    share_course(store, course_id, people.eva.id, Level.HELP)
    page = ben.get(address).text
    assert "Someone in this course" in page
    assert f'<option value="{people.zoe.id}"' in page
    assert f'<option value="{people.ann.id}"' not in page
    who = {"first": people.zoe.id, "second": people.eva.id, "referee": people.ben.id}
    for part in who:
        page = ben.post(address, **who | {part: people.ann.id}, size=2).text
        assert "not in this course" in page
    assert rounds.list_work(store, graded) == []
    assert "The round has started" in ben.post(address, **who, size=2).text


def test_an_owner_who_labels_blind_is_not_locked_out(store, graded, people, browse):
    course_id = get_question(store, graded).course_id
    hand_over(store, course_id, people.zoe.id)
    share_course(store, course_id, people.ben.id, Level.TEACH)
    number = rounds.make_round(store, graded, people.zoe.id, people.ben.id, people.eva.id)
    edit = f"/questions/{graded}/edit"
    zoe, ben = browse(people.zoe), browse(people.ben)
    zoe.get(f"/questions/{graded}", status=403)
    assert edit in zoe.get(f"/rounds/{number}").text
    assert "Delete this question" in zoe.get(edit).text
    before = get_question(store, graded)
    page = zoe.post(edit, text=before.text, references="\n".join(before.references), points="7")
    assert "The question has been changed" in page.text
    assert get_question(store, graded).points == 7
    ben.get(edit, status=403)
    assert ben.post(f"/questions/{graded}/delete").status_code == 403
    assert "have been deleted" in zoe.post(f"/rounds/{number}/drop").text
    number = rounds.make_round(store, graded, people.zoe.id, people.ben.id, people.eva.id)
    assert "have been deleted" in zoe.post(f"/questions/{graded}/delete").text


def test_a_labeller_goes_back_changes_and_takes_back(store, people, round_id, browse):
    ann = browse(people.ann)
    page = ann.get(f"/rounds/{round_id}/label").text
    first = OF.search(page)[1]
    page = ann.post(f"/rounds/{round_id}/label", of=first, label="correct", note="hm").text
    assert f'href="?of={first}"' in page
    page = ann.get(f"/rounds/{round_id}/label?of={first}").text
    assert 'aria-pressed="true"' in page
    assert "hm</textarea>" in page
    ann.post(f"/rounds/{round_id}/label", of=first, label="irrelevant")
    (one,) = rounds.get_work(store, round_id).taggings
    assert one.tags == ("irrelevant",)
    page = ann.post(f"/rounds/{round_id}/undo").text
    assert OF.search(page)[1] == first
    assert rounds.get_work(store, round_id).taggings == ()
    assert "nothing to undo" in ann.post(f"/rounds/{round_id}/undo").text
    assert "no longer exists" in ann.post(f"/rounds/{round_id}/label", of="0" * 16, label="correct").text
    assert "no label was chosen" in ann.post(f"/rounds/{round_id}/label", of=first).text.lower()


def test_the_same_agreement_as_the_engine_and_its_command(store, people, round_id, browse, told, tmp_path):
    play(store, round_id, people, told)
    taggings = rounds.get_work(store, round_id).taggings
    measured = measure_agreement(taggings)
    table = tmp_path / "tags.tsv"
    write_taggings(table, taggings)
    said = CliRunner().invoke(postil, ["annotate", "agree", str(table), "--json"], catch_exceptions=False)
    by_command = json.loads(said.stdout)["overall"]
    assert by_command["agreement"] == measured.overall.agreement == 0.5
    page = browse(people.zoe).get(f"/rounds/{round_id}").text
    assert "<dd>50%</dd>" in page
    assert f"<dd>{by_command['kappa']:.2f}</dd>" in page
    assert measured.overall.kappa == pytest.approx((0.5 - 3 / 16) / (1 - 3 / 16))
    assert "fair" in page
    assert "2 disagreements" in page
    assert "<dd>15 s</dd>" in page
    assert "Ann 10 s, Ben 20 s" in page
    row = re.search(r'<th scope="row">[^\n]*partly right.*?</tr>', page, re.DOTALL)[0]
    assert re.findall(r">(\d+)</td>", row) == ["1", "0", "0", "0", "0", "0", "1"]


def test_one_and_the_same_label_everywhere_has_no_kappa(store, ids, people, round_id, browse):
    play(store, round_id, people, [(id, "correct", "correct") for id in ids.values()])
    page = browse(people.zoe).get(f"/rounds/{round_id}").text
    assert "<dd>–</dd>" in page
    assert "You agree on every answer" in browse(people.ann).get(f"/rounds/{round_id}/label").text


def test_the_corpus_is_read_by_the_projects_own_reader(
    store, graded, ids, people, round_id, browse, told, tmp_path
):
    zoe = browse(people.zoe)
    zoe.get(f"/rounds/{round_id}/corpus.zip", status=404)
    play(store, round_id, people, told)
    say(store, round_id, people.eva, {ids["b"]: "irrelevant", ids["d"]: PARTLY})
    answer = zoe.get(f"/rounds/{round_id}/corpus.zip")
    assert "corpus.zip" in answer.headers["Content-Disposition"]
    with zipfile.ZipFile(io.BytesIO(answer.content)) as archive:
        assert archive.namelist() == ["release.json", "test.tsv", "train.tsv"]
        archive.extractall(tmp_path / "corpus")
        words = b" ".join(map(archive.read, archive.namelist())).decode()
    assert not re.search("Pupil|Ann|Ben|Eva", words)
    read = [one for name in ("train", "test") for one in read_table(tmp_path / "corpus" / f"{name}.tsv")]
    question = get_question(store, graded)
    assert {one.id for one in read} == {str(graded)}
    assert {one.text for one in read} == {question.text}
    assert {tuple(ref.text for ref in one.references) for one in read} == {question.references}
    assert {(one.id, one.text, one.label) for each in read for one in each.answers} == {
        (str(ids["a"]), TEXTS["a"], "correct"),
        (str(ids["b"]), TEXTS["b"], "irrelevant"),
        (str(ids["d"]), TEXTS["d"], PARTLY),
    }
    figures = json.loads((tmp_path / "corpus" / "release.json").read_text("utf-8"))
    assert (figures["items"], figures["train"], figures["test"], figures["removed"]) == (3, 2, 1, 1)
    assert figures["outcomes"] == {"agreed": 2, "decided": 2}
    assert figures["agreement"]["overall"] == 0.5


def test_strangers_find_nothing_and_labellers_only_their_rounds(store, graded, people, round_id, browse):
    other = rounds.make_round(store, graded, people.eva.id, people.ben.id, people.zoe.id)
    ann = browse(people.ann)
    for path in (f"/rounds/{round_id}", f"/rounds/{round_id}/label"):
        ann.get(path)
    # Somebody else settles: said on the round's page, to which the browser is sent.
    assert "not the referee" in ann.get(f"/rounds/{round_id}/settle").text
    paths = (
        f"/rounds/{other}",
        f"/rounds/{other}/label",
        f"/rounds/{other}/settle",
        f"/rounds/{'9' * 5000}",
    )
    for path in (*paths, f"/rounds/{round_id}/corpus.zip", f"/questions/{graded}/rounds"):
        ann.get(path, status=404)
    ann.get("/rounds/abc", status=422)
    for path in (f"/rounds/{round_id}/close", f"/rounds/{round_id}/drop", f"/rounds/{other}/label"):
        assert ann.post(path, of="x", label="correct").status_code == 404
    assert rounds.get_work(store, other).taggings == ()
    assert len(rounds.list_work(store, graded)) == 2
    rounds.drop_round(
        store, other
    )  # Eva labels in it, and sees nothing else of the question until it is done
    assert "not one of the labellers" in browse(people.eva).get(f"/rounds/{round_id}/label").text
    assert "nothing to settle until" in browse(people.eva).get(f"/rounds/{round_id}/settle").text


def test_an_assistant_of_the_course_does_not_see_its_rounds(store, graded, people, round_id, browse):
    rounds.drop_round(store, round_id)
    number = rounds.make_round(store, graded, people.ann.id, people.eva.id, people.zoe.id)
    share_course(store, get_question(store, graded).course_id, people.ben.id, Level.HELP)
    browse(people.ben).get(f"/rounds/{number}", status=403)


def test_a_round_is_made_listed_and_dropped_by_a_teacher(store, graded, people, round_id, browse):
    zoe = browse(people.zoe)
    page = zoe.get(f"/questions/{graded}/rounds").text
    assert re.search(rf'<option value="{people.zoe.id}" selected>', page)
    assert f"/rounds/{round_id}" in page
    who = {"first": people.ann.id, "second": people.eva.id, "referee": people.zoe.id}
    page = zoe.post(f"/questions/{graded}/rounds", **who, size=2).text
    assert "The round has started" in page
    (work, _) = rounds.list_work(store, graded)
    assert len(work.round.answers) == 2
    page = zoe.post(f"/questions/{graded}/rounds", **who | {"second": people.zoe.id}, size=2).text
    assert "chosen twice" in page
    page = zoe.post(f"/rounds/{work.round.id}/drop").text
    assert "have been deleted" in page
    assert [one.round.id for one in rounds.list_work(store, graded)] == [round_id]
    assert current(store, graded) == []


def test_a_question_without_a_grade_is_graded_with_the_labels(store, question_id, ids, people, browse):
    hand_over(store, get_question(store, question_id).course_id, people.zoe.id)
    number = make(store, question_id, people)
    play(store, number, people, [(id, "irrelevant", "irrelevant") for id in ids.values()])
    assert "4 labels" in browse(people.zoe).post(f"/rounds/{number}/close").text

    class Listening(StubMachine):
        heard: tuple[str | None, ...] = ()

        def judge(self, question, texts, decided, *more):
            Listening.heard = tuple(decided)
            return super().judge(question, texts, decided, *more)

    job = jobs.lease_job(store, "w")
    assert job.kind == "grade"
    worker.do(store, job, Listening())
    assert Listening.heard == ("irrelevant",) * 4
    assert jobs.decisions_heard(store, question_id) == 4


def test_alone_one_is_told_that_this_needs_accounts(store, graded, tmp_path):
    page = Browser(store, tmp_path).get(f"/questions/{graded}/rounds").text
    assert "This needs accounts" in page
    assert "<form" not in page[page.index("<main") : page.index("</main>")]


def test_the_first_page_says_what_waits(store, browse, people, round_id, told):
    assert "You have 4 answers to label" in browse(people.ann).get("/").text
    play(store, round_id, people, told)
    assert "You have 2 disagreements to settle" in browse(people.eva).get("/").text
    assert "wait to be" not in browse(people.ann).get("/").text


def test_a_round_that_is_closed_is_listed_last_and_leads_to_the_question(
    store, browse, people, round_id, ids
):
    play(store, round_id, people, [(id, "correct", "correct") for id in ids.values()])
    page = browse(people.zoe).post(f"/rounds/{round_id}/close")
    assert "4 labels now count as decisions." in page.text
    assert page.url.path == "/questions/1"  # nothing is left that could change
    own = browse(people.ann).get("/rounds").text
    assert "finished; the labels are in use" in own
    assert f'href="/rounds/{round_id}"' in own


def test_alone_there_is_nothing_to_label(store, graded, tmp_path):
    alone = Browser(store, tmp_path)
    alone.get("/rounds", status=404)
    assert "Label twice" not in alone.get(f"/questions/{graded}").text
