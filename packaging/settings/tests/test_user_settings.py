"""The user's settings file: what is written, and what stays."""

import stat
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from dictation_settings.user_settings import SettingsError, UserSettings


class UserSettingsTests(unittest.TestCase):
    """Each test has a folder of its own."""

    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = Path(folder.name) / "dictation/dictation.yaml"
        self.settings = UserSettings(self.path)

    def put(self, text: str) -> None:
        self.path.parent.mkdir(exist_ok=True)
        self.path.write_text(text, encoding="utf-8")

    def test_a_file_is_made_with_its_folder(self) -> None:
        self.assertIsNone(self.settings.get("language"))
        self.settings.set("language", ["en-US", "de"])
        self.assertEqual(self.path.read_text(), "language:\n  - en-US\n  - de\n")
        self.assertEqual(self.settings.get("language"), ["en-US", "de"])

    def test_comments_order_and_quotes_stay(self) -> None:
        text = '# one\nlanguage: \'de\'  # two\n\n# three\nwords:\n  - "A": "b c"\nauto-commit: 0\n# four\n'
        self.put(text)
        self.settings.set("auto-commit", 1000)
        self.assertEqual(self.path.read_text(), text.replace("auto-commit: 0", "auto-commit: 1000"))
        self.settings.set("auto-commit", 0)
        self.assertEqual(self.path.read_text(), text)

    WORDS = '# begin: written by dictation-cli words\nwords:\n  - "A": "b c"\n# end: dictation-cli words\n'
    ENGINES = (
        "# begin: written by dictation-cli engines add: whisper\nengine: [whisper, pocketsphinx]\nengines:\n"
        '  - name: whisper\n    wyoming: "unix:/run/a.sock"\n    fallback: preview\n# end: dictation-cli engines add\n'
    )

    def test_only_the_lines_of_a_key_change(self) -> None:
        """The marks of dictation-cli are comments, after a value of any shape and before the next key."""
        values = [
            "language: de\n",
            "language:\n  - en-US\n  - de\n",
            "language:\n- en-US\n- de\n",
            "language: [en-US,\n  de]\n",
            "language:\n",
            'language: "de"\n',
            "language:\n  a: 1\n  b:\n    - 2\n",
        ]
        rest = self.ENGINES + "\n" + self.WORDS
        for value in values:
            for new, written in (
                ("fr", "language: fr\n"),
                (["fr", "it"], "language:\n  - fr\n  - it\n"),
                (None, ""),
            ):
                for before in ("", "# mine\nformatting: plain\n\n"):
                    with self.subTest(value=value, new=new, before=before):
                        self.put(before + value + rest)
                        self.settings.set("language", new)
                        expected = written.replace("  - ", "- ") if "\n- " in value else written
                        self.assertEqual(self.path.read_text(), before + expected + rest)

    def test_items_that_stay_keep_their_comments(self) -> None:
        self.put("language:  # mine\n  # first\n  - en-US  # one\n  - 'de'  # two\n# after\nformatting: plain # x\n")
        self.settings.set("language", ["en-US", "de", "fr"])
        self.assertEqual(
            self.path.read_text(),
            "language:  # mine\n  # first\n  - en-US  # one\n  - 'de'  # two\n  - fr\n# after\nformatting: plain # x\n",
        )
        self.settings.set("language", ["de"])
        self.settings.set("formatting", "dictation")
        self.assertEqual(
            self.path.read_text(), "language:  # mine\n  - 'de'  # two\n# after\nformatting: dictation # x\n"
        )

    def test_a_changed_item_takes_no_comments_along(self) -> None:
        start = "applications:\n  - application: app:x\n    engine:\n      - a\n      - b\n"
        self.put(start + self.WORDS)
        entries = self.settings.get("applications")
        entries[0]["formatting"] = "plain"
        self.settings.set("applications", entries)
        self.assertEqual(self.path.read_text(), start + "    formatting: plain\n" + self.WORDS)

    def test_a_key_that_is_added_comes_after_everything(self) -> None:
        for text in (self.WORDS, "language: de", self.ENGINES + "# last"):
            with self.subTest(text):
                self.put(text)
                self.settings.set("formatting", "plain")
                start = text if text.endswith("\n") else text + "\n"
                self.assertEqual(self.path.read_text(), start + "formatting: plain\n")

    def test_a_file_in_one_pair_of_braces_is_changed(self) -> None:
        self.put("{language: de, formatting: plain}\n")
        self.settings.set("language", ["en", "fr"])
        self.settings.set("auto-commit", 5)
        self.assertEqual(self.settings.get("language"), ["en", "fr"])
        self.assertEqual(self.settings.get("formatting"), "plain")
        self.assertEqual(self.settings.get("auto-commit"), 5)

    def test_a_value_that_another_refers_to_keeps_it(self) -> None:
        self.put("language: &l de\nspoken: *l\n")
        self.settings.set("formatting", "plain")
        self.settings.set("spoken", "fr")
        self.assertEqual(self.path.read_text(), "language: &l de\nspoken: fr\nformatting: plain\n")
        self.put("language: &l [de]\nspoken: *l\n")
        self.settings.set("language", "fr")
        self.assertEqual(self.settings.get("language"), "fr")
        self.assertEqual(self.settings.get("spoken"), ["de"])

    def test_a_file_of_comments_keeps_them(self) -> None:
        self.put("# only\n#language: de")
        self.settings.set("formatting", "dictation")
        self.assertEqual(self.path.read_text(), "# only\n#language: de\nformatting: dictation\n")
        self.settings.set("formatting", None)
        self.assertEqual(self.path.read_text(), "# only\n#language: de\n")

    def test_removing_what_is_not_there_writes_nothing(self) -> None:
        self.settings.set("formatting", None)
        self.assertFalse(self.path.exists())

    def test_what_is_not_yaml_stays_as_it_is(self) -> None:
        for text in ("language: [en\n", "- a list\n", "a: 1\na: 2\n"):
            with self.subTest(text):
                self.put(text)
                with self.assertRaises(SettingsError):
                    self.settings.set("formatting", "plain")
                self.assertEqual(self.path.read_text(), text)

    def test_a_link_stays_a_link_and_modes_stay(self) -> None:
        self.put("")
        self.path.unlink()
        target = self.path.parent / "real.yaml"
        target.write_text("language: de\n")
        target.chmod(0o640)
        self.path.symlink_to(target)
        self.settings.set("formatting", "plain")
        self.assertTrue(self.path.is_symlink())
        self.assertEqual(target.read_text(), "language: de\nformatting: plain\n")
        self.assertEqual(stat.S_IMODE(target.stat().st_mode), 0o640)

    def test_a_file_in_the_place_of_the_folder_is_named(self) -> None:
        self.put("language: de\n")
        with self.assertRaisesRegex(SettingsError, "below"):
            UserSettings(self.path / "below").set("formatting", "plain")


if __name__ == "__main__":
    unittest.main()
