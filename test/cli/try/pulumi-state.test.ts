import { mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { keptPassphrase, stateChoice } from "../../../cli/try/pulumi-state";
import { useFolder } from "../run";

const folder = useFolder();
let home: string;
let homes = 0;
beforeEach(() => {
  homes += 1;
  home = join(folder, `home-${homes}`);
  mkdirSync(join(home, ".pulumi"), { recursive: true });
});

const loggedIn = (text: string) => writeFileSync(join(home, ".pulumi", "credentials.json"), text);
const choice = (env: NodeJS.ProcessEnv = {}, project = {}) => stateChoice({ HOME: home, ...env }, project);

describe("where a trial's state goes", () => {
  it("is nowhere yet for somebody new, who needs a passphrase then", () => {
    expect(choice()).toEqual({ backend: undefined, lacksPassphrase: true });
    loggedIn("{}");
    expect(choice()).toEqual({ backend: undefined, lacksPassphrase: true });
  });

  it("is where they are logged in; a service of Pulumi's keeps secrets by itself", () => {
    loggedIn('{"current": "https://api.pulumi.com", "accessTokens": {}}');
    expect(choice()).toEqual({ backend: "https://api.pulumi.com", lacksPassphrase: false });
    loggedIn('{"current": "file://~"}');
    expect(choice()).toEqual({ backend: "file://~", lacksPassphrase: true });
  });

  it("is what variables and Pulumi.yaml say, in Pulumi's own order", () => {
    loggedIn('{"current": "https://api.pulumi.com"}');
    const project = { backend: { url: "s3://states" } };
    expect(choice({}, project).backend).toBe("s3://states");
    expect(choice({ PULUMI_BACKEND_URL: "file:///tmp/states" }, project).backend).toBe("file:///tmp/states");
    expect(choice({ PULUMI_HOME: join(home, "other") }).backend).toBeUndefined();
    expect(choice({ PULUMI_HOME: join(home, "other"), PULUMI_ACCESS_TOKEN: "pul-1" }).backend).toBe(
      "https://api.pulumi.com",
    );
  });

  it("is not moved where the login cannot be read", () => {
    loggedIn("encrypted");
    expect(choice().backend).toBeDefined();
  });

  it("takes the user's passphrase, an empty one too", () => {
    expect(choice({ PULUMI_CONFIG_PASSPHRASE: "" }).lacksPassphrase).toBe(false);
    expect(choice({ PULUMI_CONFIG_PASSPHRASE_FILE: "/a" }).lacksPassphrase).toBe(false);
  });
});

describe("a passphrase of ours", () => {
  it("is made once, for its owner's eyes", () => {
    const file = join(home, ".try", "passphrase");
    keptPassphrase(file);
    const first = readFileSync(file, "utf8");
    expect(first.trim().length).toBeGreaterThanOrEqual(32);
    expect(statSync(file).mode & 0o077).toBe(0);
    keptPassphrase(file);
    expect(readFileSync(file, "utf8")).toBe(first);
  });
});
