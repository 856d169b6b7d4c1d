#!/usr/bin/env python3
"""Import flash cards into a collection of Anki, by Anki's own library, and check what arrives.

    pip install anki
    tavola analyze match.mat --cards cards.apkg
    scripts/check-cards.py cards.apkg

A package (.apkg) or text (.tsv). The file is imported twice, or then another FILE, a later export of
the same match: notes are known by their keys, so the second import must add none.

Ends with 1 if a card is missing or lacks its picture, its choices, its answer or its tags, or comes
twice.
"""

import argparse
import sys
import tempfile
from pathlib import Path

try:
    import anki.buildinfo
    from anki.collection import (
        Collection,
        ImportAnkiPackageOptions,
        ImportAnkiPackageRequest,
        ImportCsvRequest,
    )
except ImportError:
    sys.exit("Anki's library is missing: pip install anki")


def imported(collection, cards):
    """The notes that are new, updated and the same."""
    path = str(cards.resolve())
    if cards.suffix == ".apkg":
        options = ImportAnkiPackageOptions()
        request = ImportAnkiPackageRequest(package_path=path, options=options)
        log = collection.import_anki_package(request).log
    else:
        metadata = collection.get_csv_metadata(path=path, delimiter=None)
        log = collection.import_csv(ImportCsvRequest(path=path, metadata=metadata)).log
    return len(log.new), len(log.updated), len(log.duplicate)


def is_whole(note):
    """Whether both sides of a card have a picture and choices, and the back an answer and the IDs."""
    card = note.cards()[0]
    front, back = card.question(), card.answer()
    marks = ("<svg", "<ol", "XGID=")
    answered = any(f"<b>{letter}) " in back for letter in "ABCD")
    asked = all(mark in front for mark in marks[:2])
    return asked and all(mark in back for mark in marks) and answered and len(note.tags) == 2


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("cards", type=Path)
    parser.add_argument("later", type=Path, nargs="?")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        collection = Collection(str(Path(folder) / "collection.anki2"))
        try:
            first = imported(collection, args.cards)
            again = imported(collection, args.later or args.cards)
            notes = [collection.get_note(note) for note in collection.find_notes("")]
            decks = {collection.decks.name(card.did) for note in notes for card in note.cards()}
            whole = sum(map(is_whole, notes))
            problems, is_sound = collection.fix_integrity()
        finally:
            collection.close()
    print(f"Anki {anki.buildinfo.version}: {first[0]} cards imported, {whole} whole; deck "
          f"{', '.join(sorted(decks))}; again: {again[0]} new, {again[1]} updated, {again[2]} the same; "
          f"{problems.strip()}")
    if not notes or first[0] != len(notes) or whole != len(notes) or again[0] or not is_sound:
        sys.exit(1)


if __name__ == "__main__":
    main()
