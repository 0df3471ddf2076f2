import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as pulumi from "@pulumi/pulumi";
import fc from "fast-check";
import { afterAll, afterEach, describe, expect, it } from "vitest";
import { engineNames } from "../../../engines";
import { outsideServer } from "../../../names/outside-server";
import { readAuthorities } from "../../../stacks/config";
import { loadEnvironment } from "../../../stacks/config/load";
import { secretFields } from "../../../stacks/config/secrets";
import { resolved } from "../../harness/deploy";
import { parseWith, problemsWith, rightEnvironment } from "./samples";

type Settings = Record<string, unknown>;

const URL_OF_OTHERS = "https://api.example.com/v1";
const encrypted = { secure: "v1:AAAAAAAAAAAAAAAA:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA" };
const external = (settings: Settings, besides: Settings = {}) => ({
  models: { ...rightEnvironment.models, gpt: { engine: "external", external: settings, ...besides } },
});
const problems = (changes: Settings) => problemsWith(changes).map(({ path, allowed, fix }) => ({ path, allowed, fix }));

describe("models of others", () => {
  it("are apart from the models that are planned", () => {
    const parsed = parseWith(external({ url: URL_OF_OTHERS }));
    const environment = parsed.ok ? parsed.environment : undefined;
    expect(Object.keys(environment?.models ?? {})).toEqual(["chat", "small"]);
    expect(environment?.externalModels).toEqual({
      gpt: { engine: "external", task: "chat", external: { url: URL_OF_OTHERS } },
    });
  });

  it("have nothing that a model which runs here has", () => {
    expect(problems(external({ url: URL_OF_OTHERS }, { contextTokens: 4096, pools: ["gpu"] }))).toEqual([
      {
        path: "models.gpt.contextTokens",
        allowed: `only with engine ${engineNames.join(", ")}`,
        fix: "remove contextTokens, or change engine",
      },
      {
        path: "models.gpt.pools",
        allowed: `only with engine ${engineNames.join(", ")}`,
        fix: "remove pools, or change engine",
      },
    ]);
  });

  it("answer to names of their own, and need no pool", () => {
    expect(problemsWith(external({ url: URL_OF_OTHERS }, { servedName: "chat" }))).toMatchObject([
      { path: "models.gpt.servedName", allowed: "a name of its own: models.chat answers to this one" },
    ]);
    const dedicated = { pools: { ...rightEnvironment.pools, gpu: { shape: "VM.GPU.A10.2", dedicatedTo: ["gpt"] } } };
    expect(problemsWith({ ...external({ url: URL_OF_OTHERS }), ...dedicated })).toMatchObject([
      { path: "pools.gpu.dedicatedTo[0]", fix: "remove it" },
    ]);
  });
});

const LOOPBACK = "a pod's loopback is the pod itself";

/** URLs that are no server of somebody else, and what is said of them. */
const REFUSED: readonly (readonly [url: string, allowed: string])[] = [
  ["http://127.0.0.1:1234/v1", LOOPBACK],
  ["http://2130706433:1234/v1", LOOPBACK],
  ["http://0x7f.1/v1", LOOPBACK],
  ["http://[::1]:1234/v1", LOOPBACK],
  ["http://localhost:1234/v1", LOOPBACK],
  ["https://api.localhost./v1", LOOPBACK],
  ["http://[::ffff:127.0.0.1]/v1", "hides an IPv4 address"],
  ["http://[64:ff9b::a9fe:a9fe]/v1", "hides an IPv4 address"],
  ["http://169.254.169.254/latest", "metadata services"],
  ["http://[fd00:ec2::254]/v1", "metadata services"],
  ["http://metadata.google.internal/v1", "metadata services"],
  ["http://100.100.100.200/v1", "metadata service"],
  ["http://192.0.0.192/v1", "metadata service"],
  ["https://minio.model-store/v1", "inside of the cluster"],
  ["https://model-chat.model-chat/v1", "inside of the cluster"],
  ["http://[fe80::1]/v1", "link-local"],
  ["http://0.0.0.0:8000/v1", "no machine"],
  ["http://224.0.0.1/v1", "no machine"],
  ["https://model-chat.model-chat.svc/v1", "inside of the cluster"],
  ["https://model-chat.model-chat.svc.cluster.local/v1", "inside of the cluster"],
  ["https://lmstudio/v1", "a DNS name with a dot"],
  ["https://api_key.example.com/v1", "a DNS name with a dot"],
  ["https://192.168.1.20/v1", "with a DNS name"],
  ["https://user:secret@api.example.com/v1", "without a name or password"],
  ["https://api.example.com/v1?key=secret", "without ? and #"],
  ["https://api.example.com/v1#chat", "without ? and #"],
  ["https://api.example.com:0/v1", "a port from 1"],
];

describe("URLs of others", () => {
  it.each(REFUSED)("%s is refused", (url, allowed) => {
    const found = problemsWith(external({ url }));
    expect(found.map(({ path }) => path)).toEqual(["models.gpt.external.url"]);
    expect(found[0]?.allowed).toContain(allowed);
    expect(JSON.stringify(found)).not.toContain("secret@");
  });

  it.each([
    "https://api.example.com/v1",
    "https://api.example.com",
    "http://192.168.1.20:1234/v1",
    "http://[fd12::5]/v1",
  ])("%s is taken in development", (url) => {
    expect(problemsWith(external({ url }))).toEqual([]);
  });

  it("need https in production", () => {
    const production = {
      stage: "production",
      gateway: { ...rightEnvironment.gateway, tls: { kind: "acme", email: "a@example.com" } },
    };
    expect(problemsWith({ ...production, ...external({ url: URL_OF_OTHERS }) })).toEqual([]);
    expect(problemsWith({ ...production, ...external({ url: "http://192.168.1.20:1234/v1" }) })).toMatchObject([
      { path: "models.gpt.external.url", value: '"http://192.168.1.20:1234/v1"', allowed: /^https:\/\/ in production/ },
    ]);
  });

  it("resolve to networks that are told, and hold no address that nobody should call", () => {
    const networks = (cidrs: string[], url = "https://studio.example.com/v1") =>
      problemsWith(external({ url, networks: cidrs }));
    expect(networks(["192.168.1.20/32", "fd12::/64"])).toEqual([]);
    expect(networks(["192.168.1.20"])).toMatchObject([{ path: "models.gpt.external.networks[0]" }]);
    expect(networks(["0.0.0.0/0"])).toMatchObject([{ path: "models.gpt.external.networks[0]" }]);
    expect(networks(["0.0.0.0/1"])).toMatchObject([{ path: "models.gpt.external.networks[0]" }]);
    expect(networks(["1.0.0.0/8", "3.0.0.0/8"])).toMatchObject([{ path: "models.gpt.external.networks" }]);
    expect(networks(["10.0.0.0/8", "172.16.0.0/12", "203.0.113.0/24"])).toEqual([]);
    expect(networks(["169.254.0.0/17"])).toMatchObject([{ path: "models.gpt.external.networks[0]" }]);
    expect(networks(["10.0.0.0/8"], "http://10.0.0.5/v1")).toMatchObject([{ path: "models.gpt.external.networks" }]);
  });

  it("never break what reads them, whatever they are", () => {
    // Not fc.webUrl, which takes a second to find out how Unicode is escaped.
    const wellFormed = fc
      .tuple(
        fc.constantFrom("http://", "https://", "http://user@", "https://user:password@"),
        fc.webAuthority({ withIPv4: true, withIPv6: true, withPort: true }),
        fc.string({ maxLength: 50 }),
        fc.constantFrom("", "?page=1", "#top"),
      )
      .map(([beginning, authority, path, end]) => `${beginning}${authority}/${encodeURI(path)}${end}`);
    fc.assert(
      fc.property(fc.oneof(fc.string({ maxLength: 200 }), wellFormed), (url) => {
        const server = outsideServer(url);
        expect(server === undefined || (server.host.length > 0 && server.port >= 0)).toBe(true);
        expect(Array.isArray(problemsWith(external({ url })))).toBe(true);
      }),
      { numRuns: 25 },
    );
  });
});

describe("keys of others", () => {
  const withKey = external({ url: URL_OF_OTHERS, secretKey: "partnerApiKey" });

  afterEach(() => pulumi.runtime.setAllConfig({}));

  it("are secrets that the environment names", () => {
    expect(problemsWith({ ...withKey, partnerApiKey: encrypted })).toEqual([]);
    expect(problemsWith(withKey)).toMatchObject([
      {
        path: "models.gpt.external.secretKey",
        value: '"partnerApiKey"',
        fix: "run pulumi config set --secret inference-stacks:partnerApiKey",
      },
    ]);
    expect(problemsWith({ ...withKey, partnersApiKey: encrypted })).toMatchObject([
      { path: "models.gpt.external.secretKey", fix: 'did you mean "partnersApiKey"?' },
      { path: "partnersApiKey", allowed: expect.stringContaining("that a model names") },
    ]);
  });

  it("stand nowhere in plain text, and no message repeats them", () => {
    const found = [
      ...problemsWith({ ...withKey, partnerApiKey: "very-secret-text" }),
      ...problemsWith(external({ url: URL_OF_OTHERS, secretKey: "very-secret-text" })),
      ...problemsWith(external({ url: URL_OF_OTHERS, apiKey: "very-secret-text" })),
    ];
    expect(found.map(({ path }) => path)).toEqual([
      "partnerApiKey",
      "models.gpt.external.secretKey",
      "models.gpt.external.apiKey",
    ]);
    expect(JSON.stringify(found)).not.toContain("very-secret-text");
  });

  it("are no other secret of the platform: that would be told to strangers", () => {
    expect(
      problemsWith({ ...external({ url: URL_OF_OTHERS, secretKey: "huggingFaceToken" }), huggingFaceToken: encrypted }),
    ).toMatchObject([{ path: "models.gpt.external.secretKey" }]);
    expect(Object.keys(secretFields).filter((key) => key.endsWith("ApiKey"))).toEqual([]);
  });

  it("reach the program as secrets, and cannot forge headers", async () => {
    const set = (key: string) => {
      const sections = { ...rightEnvironment, ...withKey };
      const text = Object.entries(sections).map(([name, value]) => [
        `inference-stacks:${name}`,
        typeof value === "string" ? value : JSON.stringify(value),
      ]);
      pulumi.runtime.setAllConfig({ ...Object.fromEntries(text), "inference-stacks:partnerApiKey": key }, [
        "inference-stacks:partnerApiKey",
      ]);
    };
    set("sk-right");
    const { partnerApiKey = pulumi.output("") } = loadEnvironment().secrets.apiKeys ?? {};
    expect(await pulumi.isSecret(partnerApiKey)).toBe(true);
    expect(await resolved(pulumi.unsecret(partnerApiKey))).toBe("sk-right");
    set("sk\r\nX-Forged: yes");
    expect(() => loadEnvironment()).toThrow(/partnerApiKey\n +value +\(hidden\)\n +allowed +an API key/);
  });
});

describe("authorities of others", () => {
  const folder = mkdtempSync(join(tmpdir(), "inference-stacks-"));
  afterAll(() => rmSync(folder, { recursive: true }));
  const read = (text: string) => {
    writeFileSync(join(folder, "ca.pem"), text);
    const parsed = parseWith(external({ url: URL_OF_OTHERS, caFile: "ca.pem" }));
    if (!parsed.ok) {
      throw new Error(JSON.stringify(parsed.problems));
    }
    return readAuthorities(parsed.environment, folder);
  };

  it("are certificates alone", () => {
    expect(() => read("no certificate")).toThrow(/models\.gpt\.external\.caFile\n[\s\S]* it holds something else/);
    expect(() => read("-----BEGIN PRIVATE KEY-----\nx")).toThrow(/it holds a private key/);
    const parsed = parseWith(external({ url: URL_OF_OTHERS, caFile: "example-ca.pem" }));
    const fixtures = join(__dirname, "..", "..", "fixtures", "certificates");
    expect(parsed.ok && readAuthorities(parsed.environment, fixtures).get("gpt")).toContain("BEGIN CERTIFICATE");
  });

  it("are for TLS", () => {
    expect(problemsWith(external({ url: "http://192.168.1.20/v1", caFile: "ca.pem" }))).toMatchObject([
      { path: "models.gpt.external.caFile", allowed: "only with an https:// URL" },
    ]);
  });
});
