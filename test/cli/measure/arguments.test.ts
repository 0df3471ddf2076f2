import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { readMeasureArguments } from "../../../cli/measure/arguments";
import { useFolder } from "../run";

const folder = useFolder();
const URL = "https://engine.example.com";

describe("the server that is measured", () => {
  it("is asked with the key in the variable, and trusted by the certificates in the file", () => {
    const file = join(folder, "ca.pem");
    const ca = "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n";
    writeFileSync(file, ca);
    const argv = ["--url", URL, "--api-key-env", "KEY", "--ca", file];
    expect(readMeasureArguments(argv, { KEY: "sk-1" })).toMatchObject({ from: { url: URL, apiKey: "sk-1", ca } });
  });

  it("is asked without key and by the usual authorities where none are named", () => {
    const read = readMeasureArguments(["--url", URL], { KEY: "sk-1" });
    expect("from" in Object(read) && Object(read).from).toEqual({ url: URL });
  });

  it.each([
    [{}, "is not set"],
    [{ KEY: "" }, "is not set"],
    [{ KEY: "sk-1 sk-2" }, "holds more than one word, so it is no key"],
  ])("is not asked with the variables %j: the message has the reason and no key", (env, reason) => {
    const read = readMeasureArguments(["--url", URL, "--api-key-env", "KEY"], env);
    expect(read).toEqual({ problems: [`--api-key-env: the variable KEY ${reason}`] });
  });
});
