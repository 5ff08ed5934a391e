"""What Postil says of the written inputs beside this file, as plain data that can be kept and compared.

    python tests/golden/collect.py PART RESULT.json

Each part runs in a process of its own: what a process has read before is kept in memory, and the encoder's
last digits depend on which texts it reads together. Only what stays is used here: the command line, the
library, the API over HTTP, and the records that the library takes.
"""

from __future__ import annotations

import csv
import io
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from importlib.resources import files
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
INPUTS = HERE / "inputs"
EXPECTED = HERE / "expected"
CONFORMANCE = HERE.parent / "conformance"
_VERSION = re.compile(r"\bv:\d+\.\d+\.\d+\w*")  # at the end of signatures
_SECONDS = re.compile(r"\b[\d.]+ s(?=[.,])")  # how long a system took
_FACET = re.compile(r"f[0-9a-f]{8}")  # the id of a facet that a teacher set, drawn by lot
_SEEN = re.compile(r"[0-9a-f]{16}|\d+-\d+")  # the version of an answer, a question or its facets
_TIME = re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)?")


def collect(part: str) -> Any:
    """What a part gives, from a process that does nothing else."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")])}
    with TemporaryDirectory() as folder:
        result = Path(folder) / "result.json"
        command = [sys.executable, str(HERE / "collect.py"), part, str(result)]
        done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, env=environment, check=False)
        if done.returncode:
            raise RuntimeError(f"{part} could not be collected:\n{done.stderr}")
        return json.loads(result.read_text(encoding="utf-8"))


def as_text(data: Any) -> str:
    """As it is kept: readable, and with no more digits than are compared."""
    return json.dumps(_rounded(data), indent=1, sort_keys=True, ensure_ascii=False) + "\n"


def _rounded(data: Any) -> Any:
    if isinstance(data, float):
        return round(data, 8)
    if isinstance(data, Mapping):
        return {str(name): _rounded(value) for name, value in data.items()}
    return [_rounded(one) for one in data] if isinstance(data, list | tuple) else data


def _read(name: str) -> Any:
    return json.loads((INPUTS / name).read_text(encoding="utf-8"))


# The library


def judgement(judged: Any) -> dict[str, Any]:
    """All that is known of a judged answer."""
    return {
        "labels": dict(judged.labels),
        "probabilities": {scheme: dict(chances) for scheme, chances in judged.probabilities.items()},
        "score": judged.score,
        "confidence": judged.confidence,
        "deferred": judged.deferred,
        "because": judged.because,
        "reference": judged.reference,
        "explained": explanation(judged.explanation) if judged.explanation else None,
    }


def explanation(told: Any) -> dict[str, Any]:
    """All that is known of why."""
    pair = told.alignment
    return {
        "source": " ".join(pair.source),
        "target": " ".join(pair.target),
        "status": pair.status,
        "links": [
            {
                "chunks": f"{' '.join(map(str, one.source))} <==> {' '.join(map(str, one.target))}",
                "type": "_".join(one.labels),
                "score": one.score,
            }
            for one in pair.alignments
        ],
        "facets": [
            {
                "id": one.facet.id,
                "first": one.facet.first,
                "second": one.facet.second,
                "relation": one.facet.relation,
                "label": one.label,
                "confidence": one.confidence,
                "words": list(one.words),
            }
            for one in told.facets
        ],
        "teacher": told.teacher,
        "student": told.student,
    }


def library() -> Any:
    """Written answers, each by itself, without and with an explanation."""
    import postil

    grader = postil.load()
    long = (INPUTS / "long.txt").read_text(encoding="utf-8")
    found: dict[str, Any] = {}
    for name, case in _read("answers.json").items():
        given = case["answers"] | ({"long": long, "very long": long * 6} if name == "bulb" else {})
        for what, answer in given.items():
            asked = (case["question"], case["references"], answer)
            found[f"{name}: {what}"] = {
                "plain": judgement(grader.grade(*asked)),
                "explaining": judgement(grader.grade(*asked, explain=True)),
            }
    first = _read("answers.json")["bulb"]
    asked = (first["question"], first["references"][:1], first["answers"]["right by the second reference"])
    found["bulb: one reference only"] = judgement(grader.grade(*asked, explain=True))
    strict = postil.load(credit={"partially_correct_incomplete": 0.25}, target=0.95)
    found["bulb: other credit and target"] = judgement(
        strict.grade(first["question"], first["references"], first["answers"]["partial"])
    )
    return found


def remembering() -> Any:
    """What is remembered moves the judgements of others; and which answers should be labelled first."""
    import postil

    case = _read("remembered.json")
    question, references, answers = case["question"], case["references"], case["answers"]
    grader = postil.load()
    found: dict[str, Any] = {"proposed": grader.propose(question, references, answers, 4)}
    found["before"] = [judgement(grader.grade(question, references, one)) for one in answers]
    grader.remember(question, references, [(text, label) for text, label in case["labelled"]])
    found["after"] = [judgement(grader.grade(question, references, one, explain=True)) for one in answers]
    found["proposed then"] = grader.propose(question, references, answers, 4)
    return found


def whole_class() -> Any:
    """The bundled class, a question after the other."""
    import postil

    grader = postil.load()
    return {
        question.id: {
            answer.id: judgement(judged) for answer, judged in zip(question.answers, judgements, strict=True)
        }
        for question, judgements in grader.grade_many(_bundled())
    }


def explained_class() -> Any:
    """The same with explanations: labels and numbers are in the table of the command, here is the rest."""
    import postil

    found: dict[str, Any] = {}
    for question, judgements in postil.load().grade_many(_bundled()[:5], explain=True):
        for answer, judged in zip(question.answers, judgements, strict=True):
            kept = judgement(judged)
            found[answer.id] = {
                name: kept[name] for name in ("labels", "confidence", "deferred", "because", "explained")
            }
    return found


def _bundled() -> list[Any]:
    from postil.data.questions import Answer, Question, Reference

    text = files("postil.resources").joinpath("demo", "class.csv").read_text(encoding="utf-8")
    rows: dict[str, list[dict[str, str]]] = {}
    for row in csv.DictReader(io.StringIO(text)):
        rows.setdefault(row["question_id"], []).append(row)
    return [
        Question(
            id,
            its[0]["question"],
            tuple(
                Reference(str(number), its[0][name])
                for number, name in enumerate(("reference", "reference_2"), 1)
                if its[0][name]
            ),
            tuple(Answer(row["id"], row["answer"]) for row in its),
        )
        for id, its in rows.items()
    ]


# The command line


def postil_command(*arguments: object) -> dict[str, Any]:
    """Run the command as the shell would: its exit status, output and messages."""
    from postil.cli.main import main

    out, err, status = io.StringIO(), io.StringIO(), 0
    sys.argv = ["postil", *map(str, arguments)]
    with redirect_stdout(out), redirect_stderr(err):
        try:
            main()
        except SystemExit as ended:
            status = int(ended.code or 0)
    said = _VERSION.sub("v:VERSION", out.getvalue())
    ended = {"status": status, "messages": err.getvalue().splitlines()}
    try:
        return {**ended, "output": json.loads(said)}
    except ValueError:  # for people
        return {**ended, "shown": [line.rstrip() for line in said.splitlines()]}


def _rows(path: Path | str) -> Any:
    """A written table as it is read by others: the header's order counts."""
    path = Path(path)
    text = path.read_text(encoding="utf-8-sig")
    if path.suffix == ".jsonl":
        rows = [json.loads(line) for line in text.splitlines()]
        return {"header": list(rows[0]), "rows": rows}
    reader = csv.DictReader(io.StringIO(text), delimiter="\t" if path.suffix == ".tsv" else ",")
    return {"header": list(reader.fieldnames or ()), "rows": list(reader)}


def grade_commands() -> Any:
    """`postil grade` on the bundled class, with each option that changes judgements or the table."""
    content = files("postil.resources").joinpath("demo", "class.csv").read_bytes()
    Path("class.csv").write_bytes(content)
    few = [line for line in content.decode().splitlines() if line.startswith(("question_id", "water"))]
    Path("few.csv").write_text("\n".join(few) + "\n", encoding="utf-8")
    wanted = {
        "plain.csv": ("class.csv",),
        "plain.jsonl": ("few.csv",),
        "explained.csv": ("class.csv", "--explain"),
        "explained.jsonl": ("few.csv", "--explain"),
        "three.csv": ("few.csv", "--labels", "3way"),
        "two.csv": ("few.csv", "--labels", "2way", "--explain"),
        "target.csv": ("few.csv", "--target", "0.95"),
        "credit.csv": ("few.csv", "--credit", "partly right=0.8", "--credit", "contradictory=0.1"),
        "proposed.csv": ("class.csv", "--propose", "3"),
        "labelled.csv": ("few.csv", "--remember-labelled"),
    }
    found: dict[str, Any] = {}
    for name, arguments in wanted.items():
        ended = postil_command("grade", *arguments, "-o", name)
        found[name] = {**ended, "table": _rows(name) if ended["status"] == 0 else None}
    # A teacher corrects three labels of the result, and gives it back.
    rows = list(csv.reader(io.StringIO(Path("plain.csv").read_text(encoding="utf-8-sig"))))
    for row, label in zip(rows[1:4], ("contradictory", "correct", "off the point"), strict=True):
        row[-1] = label
    kept = [rows[0], *([*row[:-1], row[-1] if place < 3 else ""] for place, row in enumerate(rows[1:]))]
    with Path("corrected.csv").open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows(kept)
    ended = postil_command("grade", "few.csv", "--remember", "corrected.csv", "-o", "again.csv")
    found["again.csv"] = {**ended, "table": _rows("again.csv") if ended["status"] == 0 else None}
    found["shown"] = postil_command("grade", "few.csv")
    return found


def grade_dataset() -> Any:
    """`postil grade` from folder to folder, and with a grader that was fitted."""
    Path("answers").mkdir()
    shutil.copy(INPUTS / "labelled.csv", "answers/part.csv")
    found = {"dataset": postil_command("grade", "answers", "-o", "graded", "--workers", "1")}
    written = sorted(Path("graded").rglob("*.csv"))
    found["tables"] = {path.name: _rows(path) for path in written}
    found["dataset explained"] = postil_command(
        "grade", "answers", "-o", "explained", "--explain", "--workers", "1"
    )
    found["tables explained"] = {path.name: _rows(path) for path in sorted(Path("explained").rglob("*.csv"))}
    for one in ("dataset", "dataset explained"):
        found[one]["messages"] = []  # how far it is
        found[one]["shown"] = found[one]["shown"][1:]  # the first line says how long it took
    return found


def align_commands() -> Any:
    """`postil align` on written sentences."""
    return [postil_command("align", *pair, "--json") for pair in _read("sentences.json")]


def entail_commands() -> Any:
    """`postil entail` on written texts, one after the other, in both schemes, and from a file."""
    found: dict[str, Any] = {
        "one by one": [postil_command("entail", *pair, "--json") for pair in _read("texts.json")]
    }
    text, hypothesis = _read("texts.json")[3]
    found["2way"] = postil_command("entail", text, hypothesis, "--scheme", "2way", "--json")
    asked = ("--question", "Where was Maria born?")
    found["question"] = postil_command("entail", "Maria was born in Bilbao.", "in Bilbao", *asked, "--json")
    shutil.copy(INPUTS / "pairs.test.xml", "pairs.xml")
    found["file"] = postil_command("entail", "pairs.xml", "-o", "run.tsv", "--json")
    found["run"] = Path("run.tsv").read_text(encoding="utf-8").splitlines()
    return found


def facets_commands() -> Any:
    """`postil facets` on written references and answers."""
    return [
        postil_command("facets", reference, answer, *(("--question", question) if question else ()), "--json")
        for question, reference, answer in _read("facets.json")
    ]


def senses_commands() -> Any:
    """`postil senses`: train, tag and score, with the systems that are quick."""
    found: dict[str, Any] = {}
    for system in ("mfs", "swat", "bcu-comb", "duluth", "postil"):
        model, run = f"model-{system}", f"run-{system}"
        train = ("senses", "train", INPUTS / "senses.train.xml", "-o", model, "--system", system)
        ended = postil_command(*train)
        tag = ("senses", "tag", model, INPUTS / "senses.test.xml", "-o", run)
        found[system] = {
            "train": ended["status"],
            "tag": postil_command(*tag),
            "run": Path(run).read_text(encoding="utf-8").splitlines(),
            "score": postil_command("score", "senses", run, INPUTS / "senses.key", "--json"),
        }
        postil_command(*tag, "--weighted")
        found[system]["weighted"] = [
            [_number(cell) for cell in line.replace("/", " ").split()]
            for line in Path(run).read_text(encoding="utf-8").splitlines()
        ]
    return found


def _number(text: str) -> float | str:
    try:
        return float(text)
    except ValueError:
        return text


def score_commands() -> Any:
    """`postil score` of every kind, on the files of the organisers' scorers."""
    shutil.copytree(CONFORMANCE, "conformance")  # names without a computer's folders, where they are told
    sra, rte, ists, senses = (Path("conformance", name) for name in ("sra", "rte", "ists", "senses"))
    wanted: dict[str, Sequence[object]] = {}
    for name in ("5way.plain", "5way.absent_class", "3way.one_label", "2way.plain"):
        run = (sra / f"{name}.system.txt", sra / f"{name}.gold.txt")
        wanted[name] = ("responses", *run, "--scheme", name.partition(".")[0])
    for name in ("partEnt.plain", "partEnt.one_label"):
        wanted[name] = ("facets", sra / f"{name}.system.txt", sra / f"{name}.gold.txt")
    for number in range(3):
        case = f"case{number}"
        wanted[f"rte.{case}"] = ("entailment", rte / f"{case}.system.tsv", rte / f"{case}.gold.tsv")
        wanted[f"ists.{case}"] = ("alignment", ists / f"{case}.system.wa", ists / f"{case}.gold.wa")
    for kind in ("fine", "coarse", "mixed"):
        given = ("--granularity", kind, "--sense-map", senses / "sensemap")
        wanted[f"senses.{kind}"] = ("senses", senses / "answers", senses / "key", *given)
    wanted["single key"] = ("senses", senses / "answers", senses / "key", "--single-key")
    other = ("--against", sra / "5way.plain.gold.txt", "--iterations", 200, "--seed", 3)
    wanted["against"] = (*wanted["5way.plain"], *other)
    wanted["against, by question"] = (*wanted["5way.plain"], *other, "--by", "question")
    return {name: postil_command("score", *given, "--json") for name, given in wanted.items()}


def bench_commands() -> Any:
    """`postil bench` of every kind on tiny data, with the cheap systems and Postil itself."""
    Path("sra/beetle").mkdir(parents=True)
    for name in ("train", "test-unseen-answers"):
        postil_command("convert", INPUTS / "labelled.csv", "-o", f"sra/beetle/{name}")
    postil_command("convert", INPUTS / "labelled.test.csv", "-o", "other/beetle/test-unseen-answers")
    shutil.copytree(INPUTS / "alignment", "alignment")
    Path("rte").mkdir()
    shutil.copy(INPUTS / "pairs.train.xml", "rte/RTE3_dev.xml")
    shutil.copy(INPUTS / "pairs.test.xml", "RTE3_test.xml")
    shutil.copy(INPUTS / "gaps.csv", "gaps.csv")
    for name in ("train", "test"):
        shutil.copy(INPUTS / f"senses.{name}.xml", f"{name}.xml")
    shutil.copy(INPUTS / "senses.key", "key")
    data: dict[str, tuple[object, ...]] = {
        "responses": ("--train", "sra", "--test", "sra"),
        "entailment": ("--train", "rte", "--test", "RTE3_test.xml"),
        "alignment": ("--train", "alignment/train", "--test", "alignment/test"),
        "facets": ("--gaps", "gaps.csv"),
        "senses": ("--train", "train.xml", "--test", "test.xml", "--key", "key"),
    }
    systems = {
        "responses": ("majority", "lexical", "postil", "ehu-alm-run1", "ehu-alm-extended"),
        "entailment": ("overlap", "postil"),
        "alignment": ("identical", "postil"),
        "facets": ("majority", "lexical", "postil"),
        "senses": ("mfs", "bcu-svm", "irst", "postil"),
    }
    found: dict[str, Any] = {"systems": postil_command("bench", "systems")}
    for task, names in systems.items():
        for name in names:
            found[f"{task} {name}"] = _bench(task, *data[task], "--system", name)
    others = ("--train", "sra", "--test", "other", "--system", "postil")  # a few are in both
    found["responses postil, other answers"] = _bench("responses", *others)
    three = ("--system", "postil", "--scheme", "3way")
    found["entailment postil 3way"] = _bench("entailment", *data["entailment"], *three)
    crossed = ("--train", "sra", "--system", "lexical", "--against", "majority", "--folds", 2)
    for scenario in ("unseen-answers", "unseen-questions", "unseen-domains"):
        found[f"responses {scenario}"] = _bench("responses", *crossed, "--scenario", scenario)
    found["senses in folds"] = _bench("senses", "--train", "train.xml", "--system", "swat", "--folds", 4)
    return found


def _bench(task: str, *arguments: object) -> Any:
    Path("result.json").unlink(missing_ok=True)
    ended = postil_command("bench", task, *arguments, "--resamples", 20, "--json", "result.json")
    written = Path("result.json")
    text = _VERSION.sub("v:VERSION", written.read_text(encoding="utf-8")) if written.exists() else "{}"
    result = json.loads(text)
    result.pop("seconds", None)
    lines = [_SECONDS.sub("SECONDS", line) for line in ended.get("shown", ())]
    return {**ended, "shown": lines, "result": result}


def other_commands() -> Any:
    """`convert`, `check`, `similarity`, `features`, `analyse`, `train` and `database`, one or two each."""
    for name in ("labelled.csv", "wide.csv"):
        shutil.copy(INPUTS / name, name)
    shutil.copy(CONFORMANCE / "ists" / "case0.gold.wa", "pairs.wa")
    found: dict[str, Any] = {
        "convert": postil_command("convert", "labelled.csv", "-o", "sra"),
        "converted": {
            path.name: path.read_text(encoding="utf-8").splitlines() for path in sorted(Path("sra").iterdir())
        },
        "convert wide": postil_command("convert", "wide.csv", "-o", "long.csv"),
        "long": _rows("long.csv"),
        "check": postil_command("check", "labelled.csv", "wide.csv", "pairs.wa", "sra", "nothing.csv"),
        "words": postil_command("similarity", "dog", "cat", "--json"),
        "other words": postil_command("similarity", "open", "closed", "--json"),
        "texts": postil_command("similarity", "the sun heats the water", "water gets warm", "--json"),
        "analyse": postil_command("analyse", "The bulb wont light b/c theres a gap of 3 cm.", "--json"),
        "tokens": postil_command("analyse", "No current flows , and Ana saw it .", "--tokens", "--json"),
    }
    for name, more in {"thirty.csv": (), "extended.csv": ("--extended", "--demote")}.items():
        found[name] = postil_command("features", "labelled.csv", "-o", name, *more)
        table = _rows(name)
        found[f"{name} rows"] = {
            "header": table["header"],
            "rows": [[_number(row[column]) for column in table["header"]] for row in table["rows"][::5]],
        }
    found["features"] = postil_command("features", "--extended", "--list")
    found["train"] = postil_command("train", "labelled.csv", "-o", "model")
    found["grade with it"] = postil_command("grade", "labelled.csv", "--model", "model", "-o", "own.csv")
    found["graded with it"] = _rows("own.csv") if Path("own.csv").exists() else None
    return found


def command_options() -> Any:
    """The names of every command's options and arguments."""
    import typer

    from postil.cli.main import app

    found: dict[str, Any] = {}

    def look(command: Any, name: str) -> None:
        found[name] = {
            (one.name if one.param_type_name == "argument" else max(one.opts, key=len)): {
                "kind": one.param_type_name,
                "names": sorted((*one.opts, *one.secondary_opts)),
                "required": one.required,
                "multiple": one.nargs if one.param_type_name == "argument" else one.multiple,
                "flag": getattr(one, "is_flag", False),
                "default": one.default if isinstance(one.default, str | int | float | bool) else None,
            }
            for one in command.params
        }
        for each, below in getattr(command, "commands", {}).items():
            look(below, f"{name} {each}")

    look(typer.main.get_command(app), "postil")
    return found


# The API


def api_description() -> Any:
    """What the API says of itself."""
    return ask_server(lambda program: structure(program.get("openapi.json").json()))


def api_judged() -> Any:
    """Texts judged at once."""
    return ask_server(_judged_texts)


def api_walk() -> Any:
    """One class from start to end."""
    return ask_server(_walk)


def ask_server(ask: Callable[[Any], Any]) -> Any:
    """What a program is answered by a server as a school runs it."""
    import httpx

    with _serving() as (address, secret):
        headers = {"Authorization": f"Bearer {secret}"}
        with httpx.Client(base_url=f"{address}/api/v1", headers=headers, timeout=120) as program:
            return ask(program)


@contextmanager
def _serving() -> Iterator[tuple[str, str]]:
    """The address of a server with a worker over a new database, and a token for everything."""
    command = [sys.executable, "-m", "postil"]
    database = ("--database", str(Path("workbench.db").absolute()))
    with subprocess.Popen(
        [*command, "serve", "--port", "0", *database],
        stdout=subprocess.PIPE,
        stdin=subprocess.DEVNULL,
        text=True,
        env={**os.environ, "PYTHONUNBUFFERED": "1"},
    ) as server:
        try:
            assert server.stdout
            shown = ""
            while not (link := re.search(r"(http://[\w.]+:\d+)/open\?token=", shown)):
                line = server.stdout.readline()
                assert line, "the server has ended"
                shown += line
            postil_command("accounts", "invite", "teo", "--name", "Teo", *database)
            scopes = ("--scope", "judge", "--scope", "read", "--scope", "write")
            (secret,) = postil_command("accounts", "token", "teo", *scopes, *database)["shown"]
            yield link[1], secret
        finally:
            server.send_signal(signal.SIGINT)
            server.communicate(timeout=60)


def _answer(response: Any) -> dict[str, Any]:
    return {"status": response.status_code, "body": _timeless(response.json()) if response.content else None}


def _timeless(data: Any) -> Any:
    """Times, versions and the ids of facets differ. Numbers do not: a new database gives them from 1."""
    if isinstance(data, str):
        return "FACET" if _FACET.fullmatch(data) else _TIME.sub("TIME", data)
    if isinstance(data, Mapping):
        seen = {name for name in data if name == "version" and _SEEN.fullmatch(str(data[name]))}
        return {name: "VERSION" if name in seen else _timeless(value) for name, value in data.items()}
    return [_timeless(one) for one in data] if isinstance(data, list) else data


def _judged_texts(program: Any) -> dict[str, Any]:
    bulb, told = _read("answers.json")["bulb"], _read("remembered.json")
    answers = [{"id": name, "text": text} for name, text in bulb["answers"].items()]
    asked = {"question": bulb["question"], "references": bulb["references"], "answers": answers}
    few = asked | {"answers": answers[:5]}
    decided = [{"text": text, "label": label} for text, label in told["labelled"]]
    leaves = {name: told[name] for name in ("question", "references")}
    leaves |= {"answers": [{"text": text} for text in told["answers"]], "decided": decided}
    sentences = [{"source": one, "target": other} for one, other in _read("sentences.json")]
    texts = [{"text": text, "hypothesis": implied} for text, implied in _read("texts.json")]
    points = {"question": bulb["question"], "reference": bulb["references"][0], "answers": answers[:6]}
    graph = few | {"question": "What does the graph above show?"}
    wanted: dict[str, tuple[str, dict[str, Any]]] = {
        "grade": ("/grade", asked),
        "grade, explaining": ("/grade", asked | {"explain": True}),
        "grade, explaining with facets": ("/grade", few | {"explain": True, "facets": True}),
        "grade by given facets": ("/grade", few | {"facets": ["circuit is closed", "current flows"]}),
        "grade 3way": ("/grade", few | {"scheme": "3way"}),
        "grade 2way": ("/grade", few | {"scheme": "2way"}),
        "grade with decisions": ("/grade", leaves),
        "grade what cannot be seen": ("/grade", graph),
        "align": ("/align", {"pairs": sentences}),
        "entail": ("/entail", {"pairs": texts}),
        "entail 2way": ("/entail", {"pairs": texts[:4], "scheme": "2way"}),
        "facets": ("/facets", points),
        "facets that are given": ("/facets", points | {"facets": ["circuit is closed", "current flows"]}),
        "refused": ("/grade", few | {"references": []}),
    }
    return {name: _answer(program.post(path, json=body)) for name, (path, body) in wanted.items()}


def _walk(program: Any) -> dict[str, Any]:
    """A course, a question, answers, a job, decisions, what they change, and the exports."""
    told = _read("remembered.json")
    found: dict[str, Any] = {}

    def ask(name: str, method: str, path: str, body: Any = None) -> Any:
        response = program.request(method, path, **({} if body is None else {"json": body}))
        found[name] = _answer(response)
        return response.json() if response.content else None

    def work(kind: str) -> None:
        job = program.post(f"/questions/{question}/jobs", json={"kind": kind}).json()
        while job["state"] in ("waiting", "running"):
            time.sleep(0.1)
            job = program.get(f"/jobs/{job['id']}").json()
        found[f"job {kind}"] = _timeless(job)

    ask("me", "GET", "/me")
    course = ask("course", "POST", "/courses", {"name": "Biology 7b"})["id"]
    given = {"text": told["question"], "references": told["references"], "points": 2}
    question = ask("question", "POST", f"/courses/{course}/questions", given)["id"]
    answers = [
        {"key": f"u{number:02}", "text": text, "student": f"Pupil {number}"}
        for number, text in enumerate(told["answers"], 1)
    ]
    ask("answers added", "POST", f"/questions/{question}/answers", {"answers": answers})
    work("propose")
    work("facets")
    work("grade")
    listed = ask("graded", "GET", f"/questions/{question}/answers")["items"]
    numbers = {one["text"]: one["id"] for one in reversed(listed)}
    for text, label in told["labelled"]:
        ask(f"decided: {text}", "PUT", f"/answers/{numbers[text]}/decision", {"label": label})
    work("regrade")
    changes = ask("changes", "GET", f"/questions/{question}/changes")
    apply = {"job_id": changes["job_id"]}
    ask("applied", "POST", f"/questions/{question}/changes/apply", apply)
    ask("graded again", "GET", f"/questions/{question}/answers")
    facets = [{"name": "hold chlorophyll", "weight": 2}, {"name": "reflect green light"}]
    ask("facets set", "PUT", f"/questions/{question}/facets", {"facets": facets})
    work("recheck")
    ask("checked again", "GET", f"/questions/{question}/answers")
    ask("decisions", "GET", f"/answers/{numbers[told['labelled'][0][0]]}/decisions")
    ask("undone", "POST", f"/questions/{question}/undo")
    ask("question at last", "GET", f"/questions/{question}")
    lines = program.get(f"/questions/{question}/export?format=jsonl").text.splitlines()
    found["export jsonl"] = [_timeless(json.loads(line)) for line in lines]
    for kind in ("csv", "moodle"):
        text = program.get(f"/questions/{question}/export?format={kind}").content.decode("utf-8-sig")
        found[f"export {kind}"] = _timeless(list(csv.reader(io.StringIO(text))))
    found["courses"] = _answer(program.get("/courses"))
    return found


_TEXTS = ("description", "summary", "example", "examples", "title", "externalDocs", "info", "servers", "tags")
_NAMES = ("properties", "schemas", "paths", "responses", "parameters", "headers", "securitySchemes")


def structure(data: Any, *, names: bool = False) -> Any:
    """What programs depend on in a description of the API: the texts are left out.

    Under `properties` and the like the keys are names, which may well be those of texts.
    """
    if isinstance(data, list):
        if all(isinstance(one, Mapping) and {"in", "name"} <= set(one) for one in data) and data:
            return {f"{one['in']} {one['name']}": structure(one) for one in data}
        return [structure(one) for one in data]
    if not isinstance(data, Mapping):
        return data
    return {
        name: structure(value, names=name in _NAMES and not names)
        for name, value in data.items()
        if names or name not in _TEXTS
    }


PARTS: Mapping[str, Callable[[], Any]] = {
    one.__name__: one
    for one in (
        library,
        remembering,
        whole_class,
        explained_class,
        grade_commands,
        grade_dataset,
        align_commands,
        entail_commands,
        facets_commands,
        senses_commands,
        score_commands,
        bench_commands,
        other_commands,
        command_options,
        api_description,
        api_judged,
        api_walk,
    )
}


def main() -> None:
    """Collect one part, in a folder where names are the same on every computer."""
    part, target = sys.argv[1], Path(sys.argv[2]).absolute()
    with TemporaryDirectory() as folder:
        os.chdir(folder)
        found = PARTS[part]()
        os.chdir(HERE)
    target.write_text(as_text(found), encoding="utf-8")


if __name__ == "__main__":
    main()
