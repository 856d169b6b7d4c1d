#!/usr/bin/env python3
"""Import flash cards into a collection of Anki, by Anki's own library, and check what arrives.

    pip install anki
    tavola analyze match.mat --cards cards.tsv
    scripts/check-cards.py cards.tsv

Ends with 1 if a card is missing or lacks its picture, its answer or its tags.
"""

import argparse
import sys
import tempfile
from pathlib import Path

try:
    import anki.buildinfo
    from anki.collection import Collection, ImportCsvRequest
except ImportError:
    sys.exit("Anki's library is missing: pip install anki")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("cards", type=Path)
    args = parser.parse_args()
    rows = [line for line in args.cards.read_text(encoding="utf-8").splitlines() if line[:1] != "#"]
    with tempfile.TemporaryDirectory() as folder:
        collection = Collection(str(Path(folder) / "collection.anki2"))
        try:
            metadata = collection.get_csv_metadata(path=str(args.cards.resolve()), delimiter=None)
            request = ImportCsvRequest(path=str(args.cards.resolve()), metadata=metadata)
            log = collection.import_csv(request).log
            notes = [collection.get_note(note) for note in collection.find_notes("")]
            decks = {collection.decks.name(card.did) for note in notes for card in note.cards()}
        finally:
            collection.close()
    whole = [
        note
        for note in notes
        if len(note.fields) == 2
        and all(field.count("<svg") == 1 for field in note.fields)
        and "<p>" in note.fields[1]
        and len(note.tags) == 2
    ]
    print(f"Anki {anki.buildinfo.version}: {len(log.new)} of {len(rows)} cards imported, "
          f"{len(whole)} with pictures, answer and tags; deck {', '.join(sorted(decks))}")
    if not rows or len(log.new) != len(rows) or len(whole) != len(rows):
        sys.exit(1)


if __name__ == "__main__":
    main()
