"""The traps in the sources: broken examples, slips, old links, entries given twice."""

import importlib.util
import io
import json
import sys
import tarfile
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from postil.language.words.verbs import Verbs

SCRIPT = Path(__file__).parents[2] / "training" / "verbs.py"
pytestmark = pytest.mark.skipif(not SCRIPT.exists(), reason="the training scripts are not here")

VERBNET = """<VNCLASS ID="melt-45.4"><MEMBERS><MEMBER name="warm up" wn="?x" grouping=""/></MEMBERS>
<THEMROLES><THEMROLE type="Initial_State"/><THEMROLE type="Patient"/></THEMROLES>
<SUBCLASSES><VNSUBCLASS ID="elt-45.4-1"><MEMBERS><MEMBER name="melt"/><MEMBER name="melt"/></MEMBERS>
<THEMROLES/><SUBCLASSES/></VNSUBCLASS></SUBCLASSES></VNCLASS>"""

FRAMES = """<!DOCTYPE frameset PUBLIC "-//PB//EN" "http://example.org/frameset.dtd">
<frameset><predicate lemma="melt.01"><roleset id="melt.01" name="become liquid, ">
<aliases><alias pos="v">melt</alias><alias pos="n">melting  down</alias><alias pos="v">melt</alias></aliases>
<roles>
 <role n="1" f="PPT " descr="solid: ice\u00ad berg"><rolelinks>
  <rolelink class="melt-45.4" resource="VerbNet" version="verbnet3.3">theme</rolelink>
  <rolelink class="melt-45.4-1-1" resource="VerbNet" version="verbnet3.4">ptient</rolelink>
  <rolelink class="melt-45.4-1" resource="VerbNet" version="verbnet3.4">initial state</rolelink>
  <rolelink class="x" resource="FrameNet" version="1.7">undergoer</rolelink>
  <rolelink class="x" resource="VerbNet" version="verbnet3.4">nm</rolelink></rolelinks></role>
 <role n="m" f="TMP" descr="when"/>
</roles>
<example name="x" src=broken><text>Ice melts .</arg></example>
</roleset></predicate></frameset>"""

TWICE = """<frameset><predicate lemma="melt"><roleset id="melt.01" name="melt">
<aliases><alias pos="v">melt</alias></aliases><roles/></roleset></predicate></frameset>"""


@pytest.fixture(scope="module")
def script() -> ModuleType:
    spec = importlib.util.spec_from_file_location("training_verbs", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    assert "training_verbs" not in sys.modules
    return module


def archive(path: Path, texts: dict[str, str]) -> Path:
    with tarfile.open(path, "w:xz") as tar:
        for name, text in texts.items():
            info = tarfile.TarInfo(f"folder/{name}")
            info.size = len(text.encode())
            tar.addfile(info, io.BytesIO(text.encode()))
    return path


@pytest.fixture
def table(script: ModuleType, tmp_path: Path) -> Any:
    verbnet = script.VerbNet(archive(tmp_path / "v.tar.xz", {"melt.xml": VERBNET, "README": "<"}))
    frames = archive(tmp_path / "p.tar.xz", {"melt.xml": FRAMES, "again.xml": TWICE, "SOURCE.txt": "<"})
    return script.compile_table(verbnet, script.read_rolesets(frames))


def test_a_roleset_through_all_the_traps(table: Any) -> None:
    assert list(table["rolesets"]) == ["melt.01"]
    assert table["rolesets"]["melt.01"].split("\t") == [
        "become liquid",
        "melt",
        "v:melt n:melting_down",
        "melt-45.4-1",
        "1:ppt:Patient+Initial_State:solid: ice berg",
    ]


def test_members_are_listed_once_and_joined(table: Any) -> None:
    assert table["classes"] == {"melt-45.4": "warm_up", "melt-45.4-1": "melt"}


def test_what_is_built_can_be_read(table: Any, script: ModuleType) -> None:
    lexicon = Verbs(json.loads(script.dump(table)))
    melt = lexicon.rolesets("melting-down", "n")[0]
    assert melt.role("ARG1").description == "solid: ice berg"  # type: ignore[union-attr]
    assert melt.roles[0].themes == ("Patient", "Initial_State")
    assert lexicon.related("melt", "warm up")


@pytest.mark.parametrize(
    ("link", "cls"),
    [
        ("melt-45.4-1", "melt-45.4-1"),
        ("melt-45.4-7", "melt-45.4"),  # a subclass that is gone
        ("45.4-1", "melt-45.4-1"),  # the number alone
        ("melt-99", "melt-45.4"),  # renumbered
        ("expired", ""),
        ("", ""),
    ],
)
def test_links_to_classes(script: ModuleType, tmp_path: Path, link: str, cls: str) -> None:
    verbnet = script.VerbNet(archive(tmp_path / "v.tar.xz", {"melt.xml": VERBNET}))
    assert verbnet.resolve(link) == cls


def test_entity_bombs_are_refused(script: ModuleType, tmp_path: Path) -> None:
    bomb = '<!DOCTYPE f [<!ENTITY a "aaaa">]><frameset>&a;</frameset>'
    with pytest.raises(Exception, match="EntitiesForbidden"):
        list(script.read_rolesets(archive(tmp_path / "p.tar.xz", {"bomb.xml": bomb})))
