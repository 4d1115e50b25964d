"""A real Ray cluster of two machines, which are processes here: tournaments, machines that die, clusters that are none."""

import os
import re
import socket

import pytest
import yaml

from cardenvs.baselines import evaluate, play_tournament, settings_for
from cardenvs.baselines.engine.work import Task, work
from cardenvs.cli import main
from tests.baselines.engine.jobs import adding, finished
from tests.helpers.command_line import run_python
from tests.helpers.paths import ROOT
from tests.helpers.reports import timeless, untimed

pytest.importorskip("ray")
POLICIES = ["low", "high", "hybrid"]
LOST = r"cardenvs: a worker of the \w+, process \d+ on \S+ \(node \w+\)"
AGAIN = "; another one does its work again\n"


@pytest.fixture(scope="module")
def cluster():
    """A cluster of two machines of one core each, and the second of them."""
    from ray.cluster_utils import Cluster

    made = Cluster(initialize_head=True, head_node_args={"num_cpus": 1, "include_dashboard": False})
    second = made.add_node(num_cpus=1)
    made.wait_for_nodes()
    yield made, second
    made.shutdown()


@pytest.mark.slow
def test_a_tournament_in_which_a_machine_dies_comes_to_the_same(cluster, tmp_path, capfd):
    """Also that a worker that dies alone is replaced, that errors come back, and that a command says what went wrong."""
    made, second = cluster
    tasks = [Task("one", 0, 30), Task("dies", 0, 20)]
    came = list(work(adding(7, tmp_path), tasks, finished, cluster=made.address))
    assert sum(total for _, (_, _, total) in came) == sum(range(30)) + sum(range(20))
    out, said = capfd.readouterr()
    assert re.fullmatch(f"({LOST}, has died{AGAIN})+", said)
    assert not out, "Ray prints nothing of its own"
    with pytest.raises(ValueError, match=r"^it fails$"):
        list(work(adding(7, tmp_path), [Task("fails", 0, 1)], finished, cluster=made.address))

    settings = settings_for("euchre", POLICIES, deals=60_000, seed=5)
    killed = []

    def kill(deals, pairings):
        if deals > 30_000 and not killed:
            killed.append(deals)
            made.remove_node(second, allow_graceful=False)

    result = play_tournament(settings, tmp_path / "cluster", cluster=made.address, workers=2, progress=kill)
    assert killed
    assert killed[0] < 150_000
    out, said = capfd.readouterr()
    assert re.fullmatch(f"{LOST}, is gone with its machine{AGAIN}", said)
    assert not out, "Ray prints nothing of its own"
    assert timeless(result) == timeless(play_tournament(settings, tmp_path / "here", workers=1))

    there = evaluate("euchre", "low", ["high", "random"], deals=300, cluster=made.address)
    assert untimed(there.as_dict()) == untimed(evaluate("euchre", "low", ["high", "random"], deals=300).as_dict())


TOURNAMENT = "tournament euchre low high --deals 9 --out out"


@pytest.mark.parametrize(
    ("words", "scheme"),
    [
        (TOURNAMENT, ""), (TOURNAMENT, "ray://"), ("exploit euchre low --steps 100000000", ""), ("reproduce five-o", ""),
        ("reproduce recycle", ""), ("recycle stats agram", ""), ("sweep team-share", ""), ("experiment team-share", ""),
    ],
)  # fmt: skip
def test_a_cluster_that_cannot_be_reached_is_named_before_anything_is_done(words, scheme, tmp_path, capsys, monkeypatch):
    """The work on this machine takes minutes to hours: it is not begun; a tournament keeps its plan."""
    monkeypatch.chdir(tmp_path)
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        address = f"{scheme}127.0.0.1:{unused.getsockname()[1]}"
        assert main([*words.split(), "--cluster", address]) == 2
    assert capsys.readouterr() == ("", f"cardenvs: no Ray cluster answers at '{address}': Connection refused\n")
    assert words == TOURNAMENT or not list(tmp_path.iterdir())


def test_no_cluster_to_be_part_of_is_said_in_words(tmp_path, capsys, monkeypatch):
    def init(**settings):
        raise ConnectionError(
            "Could not find any running Ray instance. Please specify the one to connect to by `--address`"
        )

    monkeypatch.setattr("ray.init", init)  # another test's may run on this machine
    words = ["tournament", "euchre", "low", "high", "--deals", "9", "--out", str(tmp_path / "out"), "--cluster", "auto"]
    assert main(words) == 2
    said = capsys.readouterr().err
    assert said.startswith("cardenvs: this machine is part of no Ray cluster: give the cluster's address, or let")
    assert said.count("\n") == 1


@pytest.mark.parametrize(("token", "mode"), [("secret", "token"), ("", None)])
def test_by_its_address_a_cluster_is_given_the_token_that_lies_here(token, mode, tmp_path):
    code = (
        "import os, socket, ray\n"
        "def init(**settings): raise ConnectionError(f'tried with {os.environ.get(\"RAY_AUTH_MODE\")}')\n"
        "ray.init = init\n"
        "from cardenvs.baselines.engine import ray_cluster\n"
        "with socket.create_server(('127.0.0.1', 0)) as there:\n"
        "    try: ray_cluster.try_cluster('127.0.0.1:%d' % there.getsockname()[1])\n"
        "    except ValueError as error: print(error)\n"
    )
    env = {name: value for name, value in os.environ.items() if not name.startswith("RAY_")}
    env |= {"HOME": str(tmp_path)} | ({"RAY_AUTH_TOKEN": token} if token else {})
    done = run_python(code, env=env)
    assert f"takes us not in: tried with {mode}; if it asks for a token" in done.stdout
    assert "`ray get-auth-token`" in done.stdout
    assert done.stderr == ""


def test_other_versions_are_told():
    from cardenvs.baselines.engine.ray_cluster import package_versions, version_differences

    here = package_versions()
    assert {"python", "numpy", "numba", "cardenvs", "cardenvs files"} == set(here)
    assert version_differences(here, dict(here)) == []
    assert version_differences(here, here | {"numba": "0.1"}) == [f"numba 0.1, here {here['numba']}"]
    del here["numba"]
    assert version_differences(here, package_versions())[0].endswith(", here none")


def test_the_example_of_a_cluster_is_one() -> None:
    """As far as one machine can tell: by the checks of ``ray up``."""
    from ray.autoscaler._private import util

    config = yaml.safe_load((ROOT / "examples" / "cluster.yaml").read_text())
    util.validate_config(util.prepare_config(config))
    assert config["worker_start_ray_commands"][-1].startswith("ray start --address=$RAY_HEAD_IP")
