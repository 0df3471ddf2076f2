"""Puts the database and the uploads of an archive of back_up.py in place of those in DATA_DIR. Nothing may use these meanwhile.

COPY is the archive's file name in COPY_DIR. What is there stays until the archive is known to be whole, and goes before it is
unpacked: the volume need not hold both. A run that is stopped in between is repeated.
"""

import os
import pathlib
import shutil
import sqlite3
import tarfile

data = pathlib.Path(os.environ["DATA_DIR"])
copies = pathlib.Path(os.environ["COPY_DIR"])
archive = copies / os.environ["COPY"]
database = copies / "webui.db"

with tarfile.open(archive) as tar:
    tar.getmembers()
    tar.extract("webui.db", copies, filter="data")
copy = sqlite3.connect(database)
verdict = copy.execute("PRAGMA integrity_check").fetchone()[0]
users = copy.execute("SELECT count(*) FROM user").fetchone()[0]
copy.close()
database.unlink()
if verdict != "ok":
    raise SystemExit(f"{archive.name}: its database is damaged ({verdict}); nothing was changed")

# A write-ahead log of the old database would be read into the new one.
for name in ("webui.db-wal", "webui.db-shm", "webui.db"):
    (data / name).unlink(missing_ok=True)
shutil.rmtree(data / "uploads", ignore_errors=True)
with tarfile.open(archive) as tar:
    tar.extractall(data, filter="data")
print(f"{archive.name}: {users} users are back")
