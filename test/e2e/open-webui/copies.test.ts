/** Copies of the chat page's data: the scripts of its CronJobs, run by Python on a database that is being written. */
import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { repositoryRoot } from "../../../names/repository-root";

const SCRIPTS = join(repositoryRoot(), "components/open-webui/scripts");
const python = promisify(execFile);

/** A database as Open WebUI has it: with a write-ahead log that holds the last user. */
const WRITE = `
import sqlite3, sys, os
database = sqlite3.connect(sys.argv[1] + "/webui.db", isolation_level=None)
database.execute("PRAGMA journal_mode=WAL")
database.execute("CREATE TABLE IF NOT EXISTS user (name TEXT)")
database.execute("INSERT INTO user VALUES (?)", (sys.argv[2],))
print([name for (name,) in database.execute("SELECT name FROM user ORDER BY name")], flush=True)
os._exit(0)
`;
const READ = `
import sqlite3, sys
print([name for (name,) in sqlite3.connect(sys.argv[1] + "/webui.db").execute("SELECT name FROM user ORDER BY name")])
`;

describe("a copy of the chat page's data", () => {
  let folder = "";
  let data = "";
  let copies = "";

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "chat-page-"));
    data = join(folder, "data");
    copies = join(folder, "copies");
    mkdirSync(join(data, "uploads"), { recursive: true });
    mkdirSync(copies);
  });

  afterEach(() => rmSync(folder, { recursive: true }));

  const run = (script: string, copy = "") =>
    python("python3", [join(SCRIPTS, script)], {
      env: { ...process.env, DATA_DIR: data, COPY_DIR: copies, COPY: copy },
    });
  const add = (name: string) => python("python3", ["-c", WRITE, data, name]);
  const users = async () => (await python("python3", ["-c", READ, data])).stdout.trim();

  it("has what only the write-ahead log holds, and brings users and files back", async () => {
    await add("ann");
    writeFileSync(join(data, "uploads", "notes.txt"), "of ann");
    expect(readdirSync(data)).toContain("webui.db-wal");
    await run("back_up.py");
    const [archive = ""] = readdirSync(copies);
    expect(archive).toMatch(/^(mon|tues|wednes|thurs|fri|satur|sun)day\.tar$/);

    await add("later");
    writeFileSync(join(data, "uploads", "notes.txt"), "changed");
    expect(await users()).toBe("['ann', 'later']");

    expect((await run("restore.py", archive)).stdout).toContain("1 users are back");
    expect(await users()).toBe("['ann']");
    expect(readFileSync(join(data, "uploads", "notes.txt"), "utf8")).toBe("of ann");
  });

  it("that is not whole changes nothing", async () => {
    await add("ann");
    await run("back_up.py");
    const [archive = ""] = readdirSync(copies);
    const whole = readFileSync(join(copies, archive));
    writeFileSync(join(copies, "half.tar"), whole.subarray(0, whole.length / 2));
    await add("later");
    await expect(run("restore.py", "half.tar")).rejects.toThrow();
    expect(await users()).toBe("['ann', 'later']");
  });
});
