"""The order of the policies in a panel, ours against the published."""

from reproduction.test_verdict import PUBLISHED, around, verdict


def order(published=PUBLISHED, **finals):
    (panel,) = verdict(published, **finals).orders
    return panel


def test_same_order_agrees():
    panel = order(LinUCB=around(95), BOBNoRestart=around(20), LinTS=around(60))
    assert not panel.reversed_pairs
    assert panel.sentence() == "The order of the policies agrees."


def test_reversed_pair_is_certain_if_means_of_ten_runs_of_the_same_seeds_show_it():
    # LinTS is worse with each seed by about 5, though the ranges of both policies overlap.
    linucb = around(100, spread=20)
    lints = [regret + 5 + (-1) ** seed for seed, regret in enumerate(linucb)]
    panel = order(LinUCB=linucb, BOBNoRestart=around(20), LinTS=lints)
    assert panel.reversed_pairs == (("LinTS", "LinUCB", True),)
    assert panel.sentence() == "The order differs: LinUCB beats LinTS here."


def test_reversed_pair_that_a_mean_of_ten_runs_need_not_show_is_within_the_noise():
    linucb = around(100, spread=20)
    panel = order(LinUCB=linucb, BOBNoRestart=around(20), LinTS=[203 - x for x in linucb])
    assert panel.reversed_pairs == (("LinTS", "LinUCB", False),)
    assert panel.sentence() == (
        "The order agrees within the noise: LinUCB beats LinTS here, but means of 10 runs could "
        "have either order."
    )


def test_certain_reversed_pairs_are_listed_before_others():
    values = {"LinUCB": around(50), "BOBNoRestart": around(70), "LinTS": around(51)}
    values["LinTS"].reverse()
    sentence = order(**values).sentence()
    assert sentence == (
        "The order differs: LinUCB beats BOBNoRestart, LinTS beats BOBNoRestart here. Also LinUCB "
        "beats LinTS here, but means of 10 runs could have either order."
    )


def test_reversed_pair_of_published_numbers_within_the_reading_error_is_not_certain():
    close = {**PUBLISHED, ("simulation", "garcelon", "LinTS"): 98.5}
    panel = order(close, LinUCB=around(10), BOBNoRestart=around(1), LinTS=around(20))
    assert [pair.certain for pair in panel.reversed_pairs] == [False]


def test_reversed_pair_with_a_single_seed_is_not_certain():
    panel = order(LinUCB=[10.0], BOBNoRestart=[30.0], LinTS=[20.0])
    assert [pair.certain for pair in panel.reversed_pairs] == [False] * 3
