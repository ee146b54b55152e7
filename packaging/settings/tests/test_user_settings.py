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
