import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { main } from "../../cli/gitops";
import { runPiped, useFolder } from "./run";

const folder = useFolder();
const PLATFORM = "inference:platform:Platform";
const urn = (type: string, name: string) => `urn:pulumi:prod::inference-stacks::${type}::${name}`;
const STACK = urn("pulumi:pulumi:Stack", "stack");
const PROVIDER = urn("pulumi:providers:kubernetes", "cluster");
const COMPONENT = urn(PLATFORM, "platform");
const NAMESPACE = urn(`${PLATFORM}$kubernetes:core/v1:Namespace`, "chat-namespace");
const MODEL = urn(`${PLATFORM}$kubernetes:apps/v1:Deployment`, "chat");
const SECRET = urn(`${PLATFORM}$kubernetes:core/v1:Secret`, "after");

const deployed = (providerId = "1", ...more: object[]) => ({
  version: 3,
  deployment: {
    manifest: { version: "v3.259.0" },
    secrets_providers: { type: "passphrase", state: { salt: "s" } },
    resources: [
      { urn: STACK, custom: false, outputs: { address: "x" } },
      { urn: PROVIDER, custom: true, id: providerId, parent: STACK },
      { urn: COMPONENT, custom: false, parent: STACK },
      {
        urn: NAMESPACE,
        custom: true,
        id: "chat",
        parent: COMPONENT,
        provider: `${PROVIDER}::${providerId}`,
        dependencies: [],
      },
      ...more,
    ],
  },
});
const model = {
  urn: MODEL,
  custom: true,
  id: "s/chat",
  parent: COMPONENT,
  provider: `${PROVIDER}::1`,
  dependencies: [NAMESPACE],
  outputs: { secret: { ciphertext: "c" } },
};
const secret = (dependencies: string[]) => ({
  urn: SECRET,
  custom: true,
  id: "s/after",
  parent: COMPONENT,
  dependencies,
  propertyDependencies: { metadata: dependencies },
});

let files = 0;
function fileOf(content: unknown): string {
  files += 1;
  const file = join(folder, `state-${files}.json`);
  writeFileSync(file, JSON.stringify(content));
  return file;
}
function fresh(): string {
  files += 1;
  return join(folder, `out-${files}.json`);
}
const gitops = (...argv: string[]) => runPiped(main, argv);
const read = (file: string) => JSON.parse(readFileSync(file, "utf8"));

describe("npm run gitops", () => {
  it("releases the folder's objects, with what depended on them, and nothing else of the state", async () => {
    const out = fresh();
    const { status } = await gitops(
      "release",
      "--state",
      fileOf(deployed("1", model, secret([NAMESPACE, MODEL]))),
      "--out",
      out,
    );
    expect(status).toBe(0);
    expect(read(out)).toEqual(deployed("1", secret([NAMESPACE])));
    expect(statSync(out).mode & 0o777).toBe(0o600);
  });

  it("takes them back as they were, by the provider that is there now", async () => {
    const before = fileOf(deployed("1", model));
    const out = fresh();
    const { status } = await gitops("take-back", "--state", fileOf(deployed("2")), "--before", before, "--out", out);
    expect(status).toBe(0);
    expect(read(out)).toEqual(deployed("2", { ...model, provider: `${PROVIDER}::2` }));
  });

  it("is undone by the other way", async () => {
    const start = deployed("1", model, secret([NAMESPACE]));
    const [before, out, back] = [fileOf(start), fresh(), fresh()];
    await gitops("release", "--state", before, "--out", out);
    await gitops("take-back", "--state", out, "--before", before, "--out", back);
    const sorted = (state: { deployment: { resources: { urn: string }[] } }) =>
      state.deployment.resources.toSorted((a, b) => (a.urn < b.urn ? -1 : 1));
    expect(sorted(read(back))).toEqual(sorted(start as never));
  });

  it.each([
    ["a state that was released before", deployed(), 1],
    [
      "operations that did not end",
      { ...deployed("1", model), deployment: { ...deployed("1", model).deployment, pending_operations: [{}] } },
      1,
    ],
    ["another version of the format", { ...deployed("1", model), version: 4 }, 2],
    ["no state", { resources: [] }, 2],
  ])("writes nothing for %s", async (_what, content, expected) => {
    const out = fresh();
    const { status, err } = await gitops("release", "--state", fileOf(content), "--out", out);
    expect([status, err.length > 0, existsSync(out)]).toEqual([expected, true, false]);
  });

  it.each([
    [["elsewhere"]],
    [["release", "--out", "x"]],
    [["release", "--state", "missing.json", "--out", "x", "--before", "y"]],
    [["take-back", "--state", "x", "--out", "y"]],
    [["release", "--state", "missing.json", "--out", "nowhere.json"]],
  ])("asks for what is missing: %j", async (argv) => {
    const { status, err } = await gitops(...argv);
    expect([status, err.length > 0]).toEqual([2, true]);
  });

  it("replaces no file", async () => {
    const state = fileOf(deployed("1", model));
    const { status } = await gitops("release", "--state", state, "--out", state);
    expect([status, read(state)]).toEqual([2, deployed("1", model)]);
  });
});
