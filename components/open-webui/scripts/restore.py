"""Puts the database and the uploads of an archive of back_up.py in place of those in DATA_DIR. Nothing may use these meanwhile.

COPY is the archive's file name in COPY_DIR. What is there stays until the archive is known to be whole.
"""

import os
import pathlib
import shutil
import sqlite3
import tarfile

data = pathlib.Path(os.environ["DATA_DIR"])
archive = pathlib.Path(os.environ["COPY_DIR"]) / os.environ["COPY"]
unpacked = data / ".restore"

shutil.rmtree(unpacked, ignore_errors=True)
with tarfile.open(archive) as tar:
    tar.extractall(unpacked, filter="data")
copy = sqlite3.connect(unpacked / "webui.db")
verdict = copy.execute("PRAGMA integrity_check").fetchone()[0]
users = copy.execute("SELECT count(*) FROM user").fetchone()[0]
copy.close()
if verdict != "ok":
    raise SystemExit(f"{archive.name}: its database is damaged ({verdict}); nothing was changed")

# A write-ahead log of the old database would be read into the new one.
for name in ("webui.db-wal", "webui.db-shm"):
    (data / name).unlink(missing_ok=True)
(unpacked / "webui.db").replace(data / "webui.db")
shutil.rmtree(data / "uploads", ignore_errors=True)
if (unpacked / "uploads").is_dir():
    (unpacked / "uploads").replace(data / "uploads")
shutil.rmtree(unpacked)
print(f"{archive.name}: {users} users are back")
