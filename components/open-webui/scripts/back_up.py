"""Copies the database and the uploads of a running Open WebUI into one archive, named after the day of the week.

The environment names the folders: DATA_DIR has the data, COPY_DIR gets the archive.
"""

import datetime
import os
import pathlib
import sqlite3
import tarfile

data = pathlib.Path(os.environ["DATA_DIR"])
target = pathlib.Path(os.environ["COPY_DIR"])
database = target / "webui.db"

# SQLite's own copy is consistent while the server writes; the file alone is not, because of its write-ahead log.
source, copy = sqlite3.connect(data / "webui.db"), sqlite3.connect(database)
source.backup(copy)
verdict = copy.execute("PRAGMA integrity_check").fetchone()[0]
users = copy.execute("SELECT count(*) FROM user").fetchone()[0]
source.close()
copy.close()
if verdict != "ok":
    raise SystemExit(f"webui.db: the copy is damaged ({verdict}), so the original is: restore an older copy")

archive = target / f"{datetime.datetime.now(datetime.timezone.utc):%A}.tar".lower()
with tarfile.open(archive, "w") as tar:
    tar.add(database, "webui.db")
    if (data / "uploads").is_dir():
        tar.add(data / "uploads", "uploads")
database.unlink()
print(f"{archive.name}: {users} users, {archive.stat().st_size} bytes")
