from bench.screen import Screen, errors_by_length, words_of


def test_words_that_were_not_said_yet_are_no_errors() -> None:
    said = words_of("Mr. Dashwood had then leisure")
    assert min(errors_by_length(words_of("Mister Dashwood had"), said)) == 0
    assert errors_by_length(words_of("mister dash wood had"), said)[3] == 2
    assert errors_by_length([], said) == [0, 1, 2, 3, 4, 5]


def test_a_wrong_word_counts_as_long_as_it_stands() -> None:
    screen = Screen()
    screen.add([(1.0, "one too"), (2.0, "one two three")], 0.0, 3.0, "", "one two three")
    assert (screen.shown, screen.wrong) == (4 * 2 + 4 * 3, 4)
    assert (screen.compared, screen.changed) == (2, 1)
    assert screen.firsts == [1.0]
