/** `npm run pin` of sources in registries: what is asked, with which login, and what is written. */
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { main } from "../../cli/pin";
import { HubError } from "../../cli/pin/hub";
import { digestOf, type RegistryQuestion } from "../../cli/pin/registry";
import { repositoryRoot } from "../../names/repository-root";
import { type FakeRegistry, fakeRegistry, push, titledFile } from "../components/storage/artifacts";
import { environmentText } from "../stacks/texts";
import { onA10, runPiped, useFolder } from "./run";

const folder = useFolder();
const digest = `sha256:${"a".repeat(64)}`;
const kept = `oci://ghcr.io/team/kept:v1@sha256:${"b".repeat(64)}`;

const text = `${environmentText(onA10({}, { models: undefined }))}
  inference-stacks:storage:
    registries: { registry.example.com: { caFile: ca.pem } }
  inference-stacks:models:
    chat: { model: qwen3-8b, source: oci://registry.example.com/team/qwen3-8b:v1, concurrency: 1 }   # ours
    same:
      model: qwen3-8b
      source: oci://registry.example.com/team/qwen3-8b:v1
    kept: { model: qwen3-8b, source: "${kept}" }
`;

function fileWith(content: string): string {
  const path = join(folder, "Pulumi.pin-artifacts.yaml");
  writeFileSync(path, content);
  copyFileSync(join(repositoryRoot(), "test/fixtures/certificates/example-ca.pem"), join(folder, "ca.pem"));
  return path;
}

function pin(answer: (question: RegistryQuestion) => Promise<string>, ...argv: string[]) {
  const file = fileWith(text);
  return runPiped((words, io) => main(words, io, {}, answer), ["--config", file, ...argv]);
}

describe("a source in a registry", () => {
  it("gets the digest of its tag, asked once and with the registry's authorities; nothing else changes", async () => {
    const asked: RegistryQuestion[] = [];
    const { status, out, err } = await pin(async (question) => {
      asked.push(question);
      return digest;
    });
    expect([status, err]).toEqual([0, ""]);
    expect(out).toMatch(new RegExp(`^chat +registry.example.com/team/qwen3-8b +v1 → ${digest}$`, "m"));
    expect(out).toMatch(/^kept +ghcr\.io\/team\/kept +sha256:b{64}: left as it is$/m);
    expect(asked).toHaveLength(1);
    expect(asked[0]?.authorities).toContain("BEGIN CERTIFICATE");
    expect(readFileSync(join(folder, "Pulumi.pin-artifacts.yaml"), "utf8")).toBe(
      text.replaceAll("team/qwen3-8b:v1", `team/qwen3-8b:v1@${digest}`),
    );
  });

  it("stays as it is where its registry does not tell", async () => {
    const { status, err } = await pin(() => Promise.reject(new HubError("registry.example.com is down")));
    expect([status, err]).toEqual([1, "registry.example.com is down\nnothing was written\n"]);
    expect(readFileSync(join(folder, "Pulumi.pin-artifacts.yaml"), "utf8")).toBe(text);
  });
});

describe("a registry", () => {
  let fake: FakeRegistry;
  const env = { DOCKER_CONFIG: join(folder, "docker") };
  const source = { kind: "artifact", registry: "registry.example.com", repository: "team/qwen", tag: "v1" } as const;

  beforeEach(async () => {
    fake = await fakeRegistry();
    mkdirSync(env.DOCKER_CONFIG, { recursive: true });
  });
  afterEach(() => fake.close());

  function logins(auths: object): void {
    writeFileSync(join(env.DOCKER_CONFIG, "config.json"), JSON.stringify({ auths }));
  }

  it("is asked with the login that Docker keeps", async () => {
    const pushed = push(fake, "v1", [titledFile("config.json", Buffer.from("{}"))]);
    fake.login = "reader:secret";
    logins({ "registry.example.com": { auth: Buffer.from(fake.login).toString("base64") } });
    expect(await digestOf({ source, env, endpoint: fake.url })).toBe(pushed);
  });

  it("that refuses is an error that says which login was sent", async () => {
    fake.login = "reader:secret";
    logins({ "other.example.com": {} });
    await expect(digestOf({ source, env, endpoint: fake.url })).rejects.toThrow(
      /oci:\/\/registry\.example\.com\/team\/qwen:v1: .*HTTP 401 UNAUTHORIZED.*asked without a login: .*config\.json has none/,
    );
  });

  it("that does not know the tag is an error with its name", async () => {
    await expect(digestOf({ source, env, endpoint: fake.url })).rejects.toThrow(/v1: .*HTTP 404 MANIFEST_UNKNOWN/);
  });
});
