"""Policies' files that may be anybody's: edited, damaged, lying about their size."""

import io
import json
import resource
import struct
import tomllib
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from safetensors.numpy import load as parse
from safetensors.numpy import save

from cardenvs import policy
from cardenvs.train.inference.exported import HASH, RECORD, file_content, read_export
from cardenvs.train.inference.shipped import FOLDER
from cardenvs.train.learning.self_play import train
from cardenvs.train.models.checkpoint import OLDEST_TORCH, read_checkpoint
from tests.fuzz import checkpoints, policy_files
from tests.fuzz.policy_files import sealed
from tests.fuzz.running import fuzz
from tests.helpers.command_line import run, run_python
from tests.helpers.paths import ROOT

pytestmark = pytest.mark.compiled

FIVE_O = FOLDER / "generation-1" / "five-o.safetensors"


def loads(path: Path, content: bytes, game: str = "five-o") -> Any:
    path.write_bytes(content)
    return policy.make(game, str(path))


# --- exported policies ---


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "net.safetensors"


def test_the_record_is_under_the_hash(path: Path) -> None:
    weights, record = read_export(FIVE_O)
    assert record["format"] == 2 and len(record[HASH]) == 64
    for name, value in {**record, "more": 1}.items():
        for other in ({**record, name: [value]}, {key: kept for key, kept in record.items() if key != name}):
            if other == record:
                continue
            content = save(weights, {RECORD: json.dumps(other)})
            with pytest.raises(ValueError, match="no exported policy, or a damaged one") as caught:
                loads(path, content)
            assert len(str(caught.value).splitlines()) == 1
    for entries in ({RECORD: json.dumps(record), "x": "y"}, {"x": json.dumps(record)}, {}):
        with pytest.raises(ValueError, match="its header has no record of cardenvs, or more than that"):
            loads(path, save(weights, entries))
    assert read_export(FIVE_O)[1] == record
    loads(path, save(weights, {RECORD: json.dumps(record, indent=3, sort_keys=True)}))  # the same, written otherwise


def test_a_record_with_a_hash_of_its_own_is_checked_entry_by_entry(path: Path) -> None:
    weights, record = read_export(FIVE_O)
    loads(path, sealed(weights, record))
    for changes, message in (
        ({"canonical_suits": 1}, "a wrong 'canonical_suits': 1"),
        ({"canonical_suits": False}, "another 'canonical_suits' than its settings"),
        ({"activation": "step"}, "another 'activation' than its settings"),
        ({"options": []}, r"a wrong 'options': \[\]"),
        ({"options": {"seed": 3}}, "another 'options' than its settings"),
        ({"curve": [{"steps": "1"}]}, "a wrong 'curve'"),
        ({"version": "\x1b[31m"}, "a wrong 'version'"),
        ({"config": None}, "a wrong 'config'"),
        ({"config": {**record["config"], "lr": "fast"}}, "lr must be a number"),
        ({"config": {**record["config"], "eval_opponent": 5}}, "eval_opponent must be a text, not 5"),
        ({"config": {**record["config"], "net": "wide"}}, "net must be ints, not 'wide'"),
        ({"config": {**record["config"], "options": "x"}}, "options must be values by name, not 'x'"),
        ({"config": {**record["config"], "game": "whist"}}, "its settings are those of 'whist', not of five-o"),
        ({"belief": {"decisions": 1, "nats": []}}, "a wrong 'belief'"),
        ({"hours": float("nan")}, "a wrong 'hours': nan"),
        ({"steps": 10**400}, "a wrong 'steps'"),
    ):
        with pytest.raises(ValueError, match=message):
            loads(path, sealed(weights, {**record, **changes}))
    # Policies that the settings name need not be there to play.
    loads(path, sealed(weights, {**record, "config": {**record["config"], "eval_opponent": "their-own"}}))
    with pytest.raises(ValueError, match="plays five-o, not whist"):
        policy.make("whist", str(FIVE_O))


@pytest.mark.parametrize(
    ("name", "change", "message"),
    [
        ("action_net.bias", lambda a: a * np.nan, "no numbers from -1,000,000 to 1,000,000"),
        ("action_net.bias", lambda a: a + np.inf, "no numbers from -1,000,000 to 1,000,000"),
        ("action_net.bias", lambda a: a + np.float32(1e30), "no numbers from -1,000,000 to 1,000,000"),
        ("action_net.bias", lambda a: a.astype(np.float64), "must be of float32, not float64"),
        ("action_net.bias", lambda a: a[None], "must have 1 dimensions"),
        ("action_net.bias", lambda a: a[:0], "must have 1 dimensions of 1 to 16384"),
        ("action_net.bias", lambda a: np.zeros(2, np.float32), r"has the biases \(2,\), not \(1,\)"),
        ("action_net.weight", lambda a: a[:, 1:], "is of shape"),
        ("action_net.more", lambda a: np.zeros(1, np.float32), "is neither a weight nor a bias"),
        ("mlp_extractor.policy_net.alone.weight", lambda a: a[:5], "is of shape"),
    ],
)
def test_weights_are_checked(path: Path, name: str, change: Any, message: str) -> None:
    weights, record = read_export(FIVE_O)
    weights[name] = np.ascontiguousarray(change(weights.get(name)))
    with pytest.raises(ValueError, match=message):
        loads(path, sealed(weights, record))


def test_belief_networks_are_checked(path: Path) -> None:
    weights, record = read_export(FOLDER / "generation-1" / "whist.safetensors")
    small = {name: array for name, array in weights.items() if name != "belief.1.bias"}
    with pytest.raises(ValueError, match="those of no belief network"):
        loads(path, sealed(small, record), "whist")
    weights, record = read_export(FIVE_O)
    weights |= {"belief.0.weight": np.zeros((3, 3), np.float32), "belief.0.bias": np.zeros(3, np.float32)}
    with pytest.raises(ValueError, match="the belief network does not fit five-o"):
        loads(path, sealed(weights, record))


def test_what_would_not_be_read_is_not_written() -> None:
    weights, record = read_export(FIVE_O)
    for wrong, changes in (({"action_net.bias": np.full(1, np.nan, np.float32)}, {}), ({}, {"hours": "long"})):
        with pytest.raises(ValueError, match=r"no numbers from|a wrong 'hours'"):
            file_content({**weights, **wrong}, {**record, **changes})


def test_layers_are_in_the_order_of_their_numbers(path: Path) -> None:
    """In a file names are sorted as text: with more than five hidden layers the tenth comes before the second."""
    weights, record = read_export(FOLDER / "generation-1" / "euchre.safetensors")
    rng = np.random.default_rng(3)
    sizes = [457, *[12] * 7]
    deep = {name: array for name, array in weights.items() if "belief" not in name and "policy_net" not in name}
    deep["action_net.weight"] = np.ascontiguousarray(deep["action_net.weight"][:, :12])
    for k in range(7):
        name = f"mlp_extractor.policy_net.{2 * k}"
        deep[f"{name}.weight"] = rng.standard_normal((sizes[k + 1], sizes[k])).astype(np.float32)
        deep[f"{name}.bias"] = rng.standard_normal(sizes[k + 1]).astype(np.float32)
    player = loads(path, sealed(deep, record), "euchre")
    order = [name for name in player.weights() if name.endswith("weight")]
    assert order == [*(f"mlp_extractor.policy_net.{2 * k}.weight" for k in range(7)), "action_net.weight"]


def test_files_of_the_first_format_are_read(path: Path) -> None:
    weights, record = read_export(FIVE_O)
    first = {name: value for name, value in record.items() if name != HASH} | {"format": 1}
    content = save(weights, {RECORD: json.dumps(first)})
    loads(path, content)
    assert read_export(path)[1] == first
    for changes in ({"canonical_suits": False}, {"activation": "tanh"}, {"options": {"hidden_rows": 2}}, {"seed": 5}):
        with pytest.raises(ValueError, match=r"than its settings"):
            loads(path, save(weights, {RECORD: json.dumps({**first, **changes})}))
    with pytest.raises(ValueError, match="its record is not the one that was exported"):
        loads(path, save(weights, {RECORD: json.dumps({**record, "format": 1})}))


def test_odd_contents(path: Path) -> None:
    content = FIVE_O.read_bytes()
    deep = b'{"a":' * 100_000
    for bad in (
        b"", b"\x00" * 8, b"\xff" * 8, struct.pack("<Q", 2**40) + b"{}", struct.pack("<Q", 2) + b"{}",
        struct.pack("<Q", len(deep)) + deep, struct.pack("<Q", 4) + b"null", content + b"x", content[:-1],
        content.replace(b'"F32"', b'"F64"', 1), content.replace(b'"F32"', b'"BF16"', 1), content.replace(b"[64]", b"[-1]"),
    ):  # fmt: skip
        with pytest.raises(ValueError, match="is no exported policy, or a damaged one") as caught:
            loads(path, bad)
        assert len(str(caught.value)) < 500
    weights, record = parse(content), read_export(FIVE_O)[1]
    for text in ('{"a":' * 100_000, "[" * 900 + "]" * 900, "NaN", "[]", '"x"', '{"format": true}', '{"format": 3}'):
        with pytest.raises(ValueError, match=r"damaged one|reads formats up to 2"):
            loads(path, save(weights, {RECORD: text}))
    nested = json.loads("[" * 900 + "]" * 900)
    with pytest.raises(ValueError, match="damaged one"):
        loads(path, save(weights, {RECORD: json.dumps({**record, "more": nested})}))


def test_mutated_exports_load_as_they_were_or_are_refused() -> None:
    outcomes = fuzz(policy_files.trial, 60, 11)
    assert any("refused" in outcome for outcome in outcomes)


# --- checkpoints ---


def zipped(tmp_path: Path, kind: int = zipfile.ZIP_STORED, **changes: Any) -> Path:
    """A small checkpoint with members replaced; an underscore stands for the point in a member's name."""
    members = {**checkpoints.whole(), **{name.replace("_", "."): content for name, content in changes.items()}}
    path = tmp_path / "policy.zip"
    path.write_bytes(checkpoints.packed(members, kind))
    return path


def test_settings_of_a_checkpoint_are_checked(tmp_path: Path) -> None:
    record = json.loads(checkpoints.whole()["cardenvs.json"])
    for changes, message in (
        ({"config": "x"}, "a wrong 'config'"),
        ({"config": {**record["config"], "options": "x"}}, "options must be values by name, not 'x'"),
        ({"config": {**record["config"], "activation": ["relu"]}}, r"activation must be a text, not \['relu'\]"),
        ({"config": {**record["config"], "others": "hybrid"}}, "others must be texts, not 'hybrid'"),
        ({"config": {**record["config"], "imitate": 5}}, "imitate must be a text or None, not 5"),
        ({"config": {**record["config"], "canonical_suits": "yes"}}, "canonical_suits must be True or False"),
        ({"config": {**record["config"], "lr": 10**400}}, "lr must be a number"),
        ({"layout": 5, "layout_hash": "0"}, "a wrong 'layout'"),
        ({"layout": {"observation": [3]}, "layout_hash": "0"}, "a wrong 'layout'"),
        ({"curve": 5}, "a wrong 'curve'"),
        ({"format": True}, "does not say which format"),
        ({"format": "1"}, "does not say which format"),
        ({"game": 5}, "a wrong 'game'"),
    ):
        path = zipped(tmp_path, cardenvs_json=json.dumps({**record, **changes}).encode())
        with pytest.raises(ValueError, match=message):
            policy.make("euchre", str(path))


def test_a_run_of_a_game_in_a_file_far_down_is_read(tmp_path: Path) -> None:
    record = json.loads(checkpoints.whole()["cardenvs.json"])
    long = {"path": "/" + "a folder/" * 100 + "ours.rcy", "game": "o" * 251 + ".rcy"}
    kept = read_checkpoint(zipped(tmp_path, cardenvs_json=json.dumps({**record, **long}).encode())).record
    assert (kept["path"], kept["game"]) == (long["path"], long["game"])
    with pytest.raises(ValueError, match="a wrong 'path'"):
        read_checkpoint(zipped(tmp_path, cardenvs_json=json.dumps({**record, "path": "/a" * 5000}).encode()))


def state_dict(**changes: Any) -> bytes:
    state = torch.load(io.BytesIO(checkpoints.whole()["policy.pth"]), weights_only=True)
    file = io.BytesIO()
    torch.save({**state, **changes}, file)
    return file.getvalue()


@pytest.mark.parametrize(
    "tensor",
    [
        torch.zeros(1).expand(2**40), torch.zeros(8).half(), torch.eye(8).to_sparse(), torch.zeros(8, device="meta"), "x",
        torch.zeros(8, dtype=torch.complex64),
    ],
    ids=["a giant view", "half", "sparse", "meta", "text", "complex"],
)  # fmt: skip
def test_tensors_of_a_checkpoint_are_checked(tmp_path: Path, tensor: Any) -> None:
    path = zipped(tmp_path, policy_pth=state_dict(**{"action_net.bias": tensor}))
    with pytest.raises(ValueError, match=r"'action_net.bias' in policy.pth are no weights"):
        policy.make("euchre", str(path))


def test_weights_of_a_checkpoint_are_numbers(tmp_path: Path) -> None:
    path = zipped(tmp_path, policy_pth=state_dict(**{"action_net.bias": torch.full((35,), torch.nan)}))
    with pytest.raises(ValueError, match=r"no policy can be loaded from .* no numbers from"):
        policy.make("euchre", str(path))


def npy(header: bytes, body: bytes = b"") -> bytes:
    text = header.ljust(117) + b"\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text)) + text + body


def bomb(gigabytes: int) -> bytes:
    """A zip of a few megabytes at most that unfolds to gigabytes."""
    file = io.BytesIO()
    with (
        zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive,
        archive.open("zeros.npy", "w", force_zip64=True) as member,
    ):
        for _ in range(gigabytes * 64):
            member.write(bytes(1 << 24))
    return file.getvalue()


@pytest.fixture(scope="module")
def zeros() -> bytes:
    return bomb(1)


def test_zip_bombs_are_refused_by_their_directories(tmp_path: Path, zeros: bytes) -> None:
    assert len(zeros) < 1_500_000
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    path = tmp_path / "policy.zip"
    path.write_bytes(zeros)
    with pytest.raises(ValueError, match=r"is damaged: it would unfold from [\d,]+ to 1,073,741,824 bytes"):
        policy.make("euchre", str(path))
    with pytest.raises(ValueError, match=r"policy.pth is no state dict"):
        policy.make("euchre", str(zipped(tmp_path, policy_pth=zeros)))
    with pytest.raises(ValueError, match="it would unfold from"):
        read_checkpoint(zipped(tmp_path, resume_npz=zeros)).read_resume_arrays()
    with pytest.raises(ValueError, match=r"'cardenvs.json' has 16,777,217 bytes, more than 16,777,216"):
        read_checkpoint(zipped(tmp_path, zipfile.ZIP_DEFLATED, cardenvs_json=bytes((16 << 20) + 1)))
    # In a directory that lies the size is small; no more than that is unfolded.
    path.write_bytes(checkpoints.lying(zeros, 100))
    with pytest.raises(ValueError, match=r"is no checkpoint|is damaged"):
        policy.make("euchre", str(path))
    with pytest.raises(ValueError, match="is damaged"):
        read_checkpoint(zipped(tmp_path, resume_npz=checkpoints.lying(zeros, 100))).read_resume_arrays()
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    assert grown < 300_000, f"{grown} kB more were used"


@pytest.mark.parametrize(
    "array",
    [
        npy(b"{'descr': '<f8', 'fortran_order': False, 'shape': (1000000000000,), }"),
        npy(b"{'descr': '<f8', 'fortran_order': False, 'shape': (-1,), }", bytes(8)),
        npy(b"{'descr': '|O', 'fortran_order': False, 'shape': (1,), }", bytes(8)),
        npy(b"{'descr': '<f8', 'fortran_order': False, 'shape': (2,), }", bytes(8)),
        npy(b"__import__('os')", bytes(8)),
        npy(b"{'descr': [('a', 'x'], 'fortran_order': False, 'shape': (2,), }", bytes(8)),
        b"\x93NUMPY\x09\x00",
        b"",
    ],
    ids=["giant", "negative", "objects", "short", "code", "dtype", "version", "empty"],
)
def test_arrays_of_a_checkpoint_are_what_their_headers_say(tmp_path: Path, array: bytes) -> None:
    opened = read_checkpoint(zipped(tmp_path, resume_npz=checkpoints.packed({"a.npy": array})))
    with pytest.raises(ValueError, match=r"policy.zip' is damaged: \S+"):
        opened.read_resume_arrays()


def test_arrays_of_a_checkpoint_come_back(tmp_path: Path) -> None:
    arrays = {
        "a": np.arange(6).reshape(2, 3), "f": np.asfortranarray(np.arange(6.0).reshape(2, 3)), "none": np.zeros((0, 3)),
        "scalar": np.array(5), "record": np.zeros(3, [("a", "i8"), ("b", "i1", 3)]),
    }  # fmt: skip
    file = io.BytesIO()
    np.savez_compressed(file, **arrays)
    read = read_checkpoint(zipped(tmp_path, resume_npz=file.getvalue())).read_resume_arrays()
    assert read.keys() == arrays.keys()
    for name, array in arrays.items():
        assert read[name].dtype == array.dtype and np.array_equal(read[name], array)
        assert read[name].flags.writeable


def test_wrong_files_end_a_command_in_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str], zeros: bytes) -> None:
    bad = tmp_path / "bad.zip"
    bad.write_bytes(zeros)
    for words in (("match", "euchre", str(bad), "random"), ("export", str(bad), str(tmp_path / "x.safetensors"))):
        status, out, err = run(capsys, *words)
        assert status == 2 and not out and len(err.splitlines()) == 1 and "would unfold" in err


def test_mutated_checkpoints_are_loaded_or_refused() -> None:
    outcomes = fuzz(checkpoints.trial, 60, 11)
    assert any("refused" in outcome for outcome in outcomes)


def test_a_pickle_in_a_checkpoint_runs_no_code(tmp_path: Path) -> None:
    """In a process of its own, where it would be seen: each member that could hold a pickle holds one that makes a file."""
    made = tmp_path / "made"
    code = f"import pathlib; pathlib.Path({str(made)!r}).touch()"

    class Evil:
        def __reduce__(self) -> Any:
            return exec, (code,)

    file = io.BytesIO()
    torch.save({"action_net.bias": Evil()}, file)
    odd = io.BytesIO()
    np.savez(odd, a=np.array([Evil()], dtype=object))
    paths = []
    for k, changes in enumerate(
        ({"policy_pth": file.getvalue()}, {"data": file.getvalue()}, {"resume_npz": odd.getvalue()})
    ):
        paths.append(str(zipped(tmp_path, **changes).rename(tmp_path / f"{k}.zip")))
    done = run_python(
        "import sys; from cardenvs import policy\n"
        "from cardenvs.train.models.checkpoint import OLDEST_TORCH, read_checkpoint\n"
        "for path in sys.argv[1:]:\n"
        "    for call in (lambda p: policy.make('euchre', p), lambda p: read_checkpoint(p).read_resume_arrays()):\n"
        "        try: call(path)\n"
        "        except ValueError as error: print(error)\n",
        *paths,
    )
    assert done.returncode == 0, done.stderr
    assert len(done.stdout.splitlines()) == 2
    assert not made.exists()


def test_an_old_torch_reads_no_checkpoints(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    opened = read_checkpoint(zipped(tmp_path))
    for version in ("2.6.0", "2.9.1+cpu", "1.13.1"):
        monkeypatch.setattr(torch, "__version__", version)
        with pytest.raises(ValueError, match=rf"needs torch 2\.10 or later, not {version[:3]}"):
            opened.read_weights()
    for version in ("2.10.0", "2.13.0a0+git1", "3.0.0"):
        monkeypatch.setattr(torch, "__version__", version)
        opened.read_weights()
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    assert f"torch>={'.'.join(map(str, OLDEST_TORCH))}" in extras["train"]


def test_the_number_of_threads_is_written_down(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Another number of torch's threads gives other weights, so a run's files say which numbers were in use."""
    small: dict[str, Any] = {"games": 4, "rollout": 2, "net": (8, 8), "eval_deals": 2, "steps": 8}
    train("euchre", tmp_path, threads=2, **small)
    train("euchre", tmp_path, threads=1, resume=True, **{**small, "steps": 16})
    assert read_checkpoint(tmp_path / "policy.zip").record["torch_threads"] == [1, 2]
    file, card = tmp_path / "x.safetensors", tmp_path / "card.md"
    status, out, _ = run(capsys, "export", str(tmp_path / "policy.zip"), str(file), "--card", str(card), "--json")
    assert status == 0 and json.loads(out)["torch_threads"] == [1, 2] == read_export(file)[1]["torch_threads"]
    assert "| torch's threads | 1,2 |" in card.read_text()


def test_games_and_line_ups_of_a_run_are_checked_before_it_goes_on(tmp_path: Path) -> None:
    """Kernels trust the states that they are given: one that no play leads to would crash them."""
    small: dict[str, Any] = {"games": 4, "rollout": 2, "net": (8, 8), "eval_deals": 2, "steps": 64, "threads": 1}
    league: dict[str, Any] = {"others": ("random",), "others_share": 0.5, "past_share": 0.4, "past_every": 1}
    train("euchre", tmp_path, **{**small, **league, "steps": 16})
    path = tmp_path / "policy.zip"
    content = path.read_bytes()
    with zipfile.ZipFile(path) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    arrays = read_checkpoint(path).read_resume_arrays()

    def edited(name: str, change: Any) -> None:
        changed = {key: array.copy() for key, array in arrays.items()}
        changed[name] = change(changed[name])
        file = io.BytesIO()
        np.savez(file, **changed)
        path.write_bytes(checkpoints.packed({**members, "resume.npz": file.getvalue()}))

    def games(field: str, value: int) -> Any:
        def change(array: Any) -> Any:
            array[field] = value
            return array

        return change

    past = next(name for name in arrays if name.startswith("past_0_") and name.endswith("action_net.bias"))
    for name, change in (
        *(
            ("env_games", games(field, value))
            for field in ("moves", "to_act", "hands", "phase", "history")
            for value in (-9, 120)
        ),
        ("env_games", lambda array: array[:2]),
        ("env_lineup", lambda array: array + 10**6),
        ("env_lineup", lambda array: array - 1),
        ("env_lineup", lambda array: array[:, :2]),
        (past, lambda array: array * np.nan),
        ("env_streams", lambda array: array[:1].astype("U9")),
        ("torch_rng", lambda array: array[:5]),
    ):
        edited(name, change)
        with pytest.raises(ValueError, match="cannot be resumed"):
            print(name, train("euchre", tmp_path, resume=True, **small, **league))
    path.write_bytes(content)
    assert train("euchre", tmp_path, resume=True, **small, **league).steps == 64
