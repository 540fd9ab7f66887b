"""Worst cases by setting and by sigma: each number is a mean over seeds, the largest of attacks."""

import numpy as np
import pytest

import robustbandits as rb
from robustbandits.experiments import Spec, Store, run
from tools.worst_tables import Setting, best_table, main, settings_table, sigma_table, worst_means

ATTACKS = {
    "none": rb.attacks.NoAttack(),
    "hard": rb.attacks.Garcelon(20.0),
    "soft": rb.attacks.FlipTheta(20.0),
}
POLICIES = {
    "narrow": rb.policies.LinUCB(sigma=0.05),
    "wide": rb.policies.LinUCB(sigma=0.5),
    "no sigma": rb.policies.TsallisINF(),
}


@pytest.fixture(scope="module")
def stores(tmp_path_factory):
    pytest.importorskip("pyarrow")
    folders = []
    for rounds in (100, 300):
        spec = Spec(
            name=f"of {rounds}",
            environments={"catalogue": rb.environments.Simulation(contexts="fixed")},
            attacks=ATTACKS,
            policies=POLICIES,
            rounds=rounds,
            seeds=2,
            points=5,
        )
        folders.append(tmp_path_factory.mktemp("stores") / str(rounds))
        run(spec, folders[-1], progress=False)
    return folders


def experiments(stores):
    return [Store(store).experiments()[0] for store in stores]


def mean_regret(experiment, attack, policy):
    games = [g for g in experiment.ledgers if (g.attack, g.policy) == (attack, policy)]
    return np.mean([game.final_regret for game in games])


def test_worst_means_are_the_largest_over_attacks_with_the_same_budget(stores):
    experiment, _ = experiments(stores)
    found = worst_means(experiment)
    assert list(found) == [Setting("catalogue", 100, 0.0), Setting("catalogue", 100, 20.0)]
    for policy in POLICIES:
        clean, *attacked = (mean_regret(experiment, attack, policy) for attack in ATTACKS)
        assert found["catalogue", 100, 0.0][policy] == pytest.approx(clean)
        assert found["catalogue", 100, 20.0][policy] == pytest.approx(max(attacked))


def test_rows_are_ordered_by_environment_horizon_and_budget(stores):
    rows = settings_table(experiments(stores)).rows
    assert [row[:3] for row in rows] == [
        ("catalogue", rounds, budget) for rounds in (100, 300) for budget in (0.0, 20.0)
    ]


def test_best_policies_come_first(stores):
    found = worst_means(experiments(stores)[0])["catalogue", 100, 0.0]
    first = best_table(experiments(stores)).rows[0]
    ranked = sorted(found, key=found.get)
    assert [cell and cell.split(":")[0] for cell in first[3:]] == [*ranked, None]


def test_sigmas_are_columns_and_policies_without_sigma_have_no_row(stores):
    table = sigma_table(experiments(stores))
    assert [column.head for column in table.columns[4:]] == ["σ = 0.05", "σ = 0.5", "best σ"]
    found = worst_means(experiments(stores)[0])["catalogue", 100, 0.0]
    first = table.rows[0]
    assert first[3:6] == ("LinUCB", round(found["narrow"]), round(found["wide"]))
    assert float(first[6]) == (0.05 if found["narrow"] < found["wide"] else 0.5)
    assert len(table.rows) == 4


def test_a_page_gets_its_tables_and_their_origin(stores, tmp_path):
    page = tmp_path / "page.md"
    page.write_text(
        "# Page\n\n<!-- best -->\n<!-- /best -->\n\n<!-- sigmas -->\n<!-- /sigmas -->\n"
    )
    main([str(page), *map(str, stores)])
    text = page.read_text()
    assert text.count("### ") == 2
    assert "T = 100; 2 seeds" in text
    assert "T = 300; 2 seeds" in text
    assert "python -m tools.worst_tables page.md STORE..." in text


def test_a_store_without_an_experiment_is_refused(tmp_path, capsys):
    page = tmp_path / "page.md"
    page.write_text("<!-- best -->\n<!-- /best -->\n")
    with pytest.raises(SystemExit):
        main([str(page), str(tmp_path / "nothing")])
    assert "there is no store at" in capsys.readouterr().err
