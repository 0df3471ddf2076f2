import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { useFolder } from "./run";
import { smoke } from "./smoke-run";
import { closeServers, openAi } from "./smoke-servers";

const notes = join(useFolder(), "notes.txt");
afterAll(closeServers);
beforeAll(() => writeFileSync(notes, "neither a certificate nor a token\n"));

describe("bad input", () => {
  it("lists every problem at once, with status 2", async () => {
    const argv = ["--url", "inference.example.com", "--concurrency", "0", "--token-file", "/nowhere", "--ca", notes];
    const { status, out, err } = await smoke(...argv, "--model", "a b", "extra");
    expect([status, out]).toEqual([2, ""]);
    for (const words of [
      '--url must be an http:// or https:// address such as https://inference.example.com, is "inference.example.com"',
      '--concurrency must be a whole number from 1 to 100, is "0"',
      "--token-file: /nowhere cannot be read",
      "holds no certificate in PEM form",
      '--model must be a name such as llama3.2:3b, is "a b"',
      'unexpected "extra"',
      "--token-file is for the control API: give --control-url too",
    ]) {
      expect(err).toContain(words);
    }
    expect(err).not.toMatch(/\n\s+at /);
  });

  it.each([
    [["--url", "http://user:secret@host"], "must not hold a user or password"],
    [["--model", "chat"], "--url is missing"],
    [["--url", "http://host", "--stop-worker"], "--stop-worker needs the control API"],
    [["--nope"], "Unknown option '--nope'"],
  ])("%j: %s", async (argv, words) => {
    const { status, err } = await smoke(...argv);
    expect(status).toBe(2);
    expect(err).toContain(words);
    expect(err).not.toContain("secret");
  });

  it("fails, with what to give, when there is no model to try", async () => {
    const server = await openAi({ "GET /v1/models": () => ({ body: { data: [] } }) });
    const { status, out } = await smoke("--url", server.url);
    expect(status).toBe(1);
    expect(out).toContain("--model, which names one");
  });

  it("explains itself", async () => {
    const { status, out } = await smoke("--help");
    expect(status).toBe(0);
    for (const option of ["--url", "--stop-worker", "--keep-loaded", "Exit status"]) {
      expect(out).toContain(option);
    }
  });
});
