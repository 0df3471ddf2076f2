import * as pulumi from "@pulumi/pulumi";
import { describe, expect, it } from "vitest";
import type { ModelPlan } from "../../../planner/types";
import { observabilitySection } from "../../../stacks/addons/observability/config";
import { declaredLevels } from "../../../stacks/advice/declared-levels";
import { exampleNames } from "../../../stacks/advice/example-names";
import { gatedModels } from "../../../stacks/advice/gated-models";
import { movingRevisions } from "../../../stacks/advice/moving-revisions";
import { sessions } from "../../../stacks/advice/sessions";
import { wildcardDns } from "../../../stacks/advice/wildcard-dns";
import { gatewaySection } from "../../../stacks/config/core/sections/gateway";
import { withHostname } from "../../../stacks/config/core/wildcard-dns";
import { onA10, planOf, useFolder } from "../../cli/run";
import { adaptersPlan, hubAdapter } from "../../harness/adapters";
import { modelPlan, ollamaPlan } from "../../harness/plans";

const source = (repository: string, revision = "main") => ({ kind: "huggingface", repository, revision }) as const;
const llama = (revision?: string) =>
  modelPlan({ name: "llama", source: source("meta-llama/Llama-3.1-8B-Instruct", revision) });
const qwen = modelPlan({ name: "qwen", source: source("Qwen/Qwen2.5-7B-Instruct") });

describe("gated models", () => {
  const plan = (...models: ReturnType<typeof modelPlan>[]) =>
    ({ environment: "prod", models }) as unknown as Parameters<typeof gatedModels>[0]["plan"];

  const environment = { storage: {} } as unknown as Parameters<typeof gatedModels>[0]["environment"];

  it("are named where no token is set, with the command that sets it", () => {
    expect(gatedModels({ plan: plan(llama(), qwen), secrets: {}, environment })).toEqual([
      {
        severity: "advisory",
        rule: "gated-models",
        subject: "huggingFaceToken",
        message: expect.stringMatching(
          /^llama: gated .* pulumi config set --secret inference-stacks:huggingFaceToken -s prod$/,
        ),
      },
    ]);
  });

  it("may also be private ones, of models and adapters, which nothing is known of", () => {
    const own = modelPlan({
      name: "own",
      source: source("corp/own"),
      adapters: adaptersPlan({ list: [hubAdapter("law")] }),
    });
    expect(gatedModels({ plan: plan(own, qwen), secrets: {}, environment })).toEqual([
      {
        severity: "advisory",
        rule: "private-repositories",
        subject: "huggingFaceToken",
        message: expect.stringMatching(/^own, own\.adapters\.law: no token is set.*huggingFaceToken -s prod$/),
      },
    ]);
  });

  it("are what another hub makes of them", () => {
    const hub = { url: "https://hub.example.com" };
    const advised = gatedModels({
      plan: plan(llama(), qwen),
      secrets: {},
      environment: { ...environment, storage: { ...environment.storage, hub } },
    });
    expect(advised.map(({ rule, message }) => [rule, message])).toEqual([
      ["private-repositories", expect.stringMatching(/^llama: no token is set.*https:\/\/hub\.example\.com/)],
    ]);
  });

  it("is told that a token goes over no plain HTTP", () => {
    const secrets = { huggingFaceToken: pulumi.secret("hf_x") };
    const rules = (url: string) =>
      gatedModels({
        plan: plan(llama()),
        secrets,
        environment: { ...environment, storage: { ...environment.storage, hub: { url } } },
      }).map(({ rule }) => rule);
    expect(rules("http://hub.example.internal")).toEqual(["token-in-clear"]);
    expect(rules("https://hub.example.internal")).toEqual([]);
  });

  it("are no matter with a token, from Ollama's registry or a bucket, nor where the repository is open", () => {
    const secrets = { huggingFaceToken: pulumi.secret("hf_x") };
    expect(gatedModels({ plan: plan(llama()), secrets, environment })).toEqual([]);
    const bucket = modelPlan({ source: { kind: "bucket", uri: "s3://models/llama" } });
    expect(gatedModels({ plan: plan(qwen, ollamaPlan(), bucket), secrets: {}, environment })).toEqual([]);
  });
});

describe("names without DNS work", () => {
  const advised = (written: object) =>
    wildcardDns({
      environment: { gateway: withHostname(gatewaySection.parse({ tls: { kind: "self-signed" }, ...written })) },
    });
  const at = (address: string) => ({ wildcardDns: { service: "sslip.io", address } });

  it("say who must answer for them", () => {
    expect(advised(at("203.0.113.7"))).toEqual([
      {
        severity: "advisory",
        rule: "wildcard-dns",
        subject: "gateway.wildcardDns",
        message:
          "inference.203-0-113-7.sslip.io is found through sslip.io, which others run: while it does not answer, new clients do not find the gateway.",
      },
    ]);
  });

  it("say that routers hide private addresses, and where a challenge arrives", () => {
    const tls = { kind: "acme", email: "ops@acme.io", server: "https://ca.acme.internal/directory" };
    const [found] = advised({ ...at("192.168.1.30"), exposure: "NodePort", tls });
    expect(found?.message).toMatch(
      /rebinding protection.*port 80 of 192\.168\.1\.30: let a router lead it to the gateway's node port/,
    );
  });

  it("are no matter where a name is given", () => {
    expect(advised({ hostname: "inference.acme.io" })).toEqual([]);
  });
});

describe("example names", () => {
  const names = (hostname: string, tls: object) =>
    exampleNames({ environment: { gateway: withHostname(gatewaySection.parse({ hostname, tls })) } });

  it.each(["inference.example.com", "example.org", "a.b.example.net", "chat.example", "x.test", "y.invalid"])(
    "%s gets no certificate from a public authority",
    (hostname) => {
      const [found] = names(hostname, { kind: "acme", email: "ops@acme.io" });
      expect(found).toMatchObject({ severity: "advisory", rule: "example-names", subject: "gateway.hostname" });
      expect(found?.message).toContain(`${hostname}: for examples only`);
    },
  );

  it("are looked for in the account's address too", () => {
    expect(names("chat.acme.io", { kind: "acme", email: "ops@example.com" })).toEqual([
      expect.objectContaining({ subject: "gateway.tls.email", message: expect.stringContaining("ops@example.com") }),
    ]);
  });

  it.each(["chat.acme.io", "example.com.acme.io", "myexample.com", "contest.io"])("%s is none of them", (hostname) => {
    expect(names(hostname, { kind: "acme", email: "ops@acme.io" })).toEqual([]);
  });

  const issuers = (issuer: string) =>
    exampleNames({
      environment: {
        gateway: withHostname(
          gatewaySection.parse({
            hostname: "chat.acme.io",
            tls: { kind: "self-signed" },
            auth: { oidc: { issuer, audience: "inference" } },
          }),
        ),
      },
    });

  it.each(["https://login.example.com", "https://login.example.com/realms/platform"])(
    "of a login (%s) sign no tokens",
    (issuer) => {
      expect(issuers(issuer)).toEqual([
        {
          severity: "advisory",
          rule: "example-names",
          subject: "gateway.auth.oidc.issuer",
          message: `${issuer}: for examples only, no issuer signs tokens there: API keys alone let callers in. Write your own issuer, or leave gateway.auth out.`,
        },
      ]);
    },
  );

  const ofAlerts = (observability: object) =>
    exampleNames({
      environment: {
        gateway: withHostname(gatewaySection.parse({ hostname: "chat.acme.io", tls: { kind: "self-signed" } })),
        observability: observabilitySection.parse(observability),
      },
    });

  it("of alerts' mail and runbook lead nowhere", () => {
    const email = { to: ["a@acme.io", "b@example.org"], from: "c@example.com", smarthost: "smtp.example.net:587" };
    const runbookUrl = "https://git.example.com/docs/operations.md";
    const found = ofAlerts({ alerts: { email }, runbookUrl });
    expect(found.map(({ subject, message }) => `${subject}: ${message}`)).toEqual([
      "observability.alerts.email.to: b@example.org and c@example.com and smtp.example.net:587: for examples only, alerts arrive nowhere. Write your own observability.alerts.email.to and observability.alerts.email.from and observability.alerts.email.smarthost.",
      `observability.runbookUrl: ${runbookUrl}: for examples only, links in alerts lead nowhere. Write the URL of docs/operations.md in your repository.`,
    ]);
    const own = { to: ["a@acme.io"], from: "c@acme.io", smarthost: "smtp.acme.io:587" };
    expect(ofAlerts({ alerts: { email: own }, runbookUrl: "https://git.acme.io/example.com" })).toEqual([]);
  });

  it("are not looked for in a login's path", () => {
    expect(issuers("https://login.acme.io/realms/example.com")).toEqual([]);
  });

  it("are no matter without a public authority", () => {
    expect(names("inference.example.com", { kind: "secret", secretName: "tls" })).toEqual([]);
    expect(names("inference.example.com", { kind: "self-signed" })).toEqual([]);
  });
});

describe("moving revisions", () => {
  const advice = (stage: "production" | "development", ...models: ReturnType<typeof modelPlan>[]) =>
    movingRevisions({
      plan: { environment: "prod", stage, models } as unknown as Parameters<typeof movingRevisions>[0]["plan"],
    });
  const commit = "0123456789abcdef0123456789abcdef01234567";

  it("are named in production, with the command that pins them", () => {
    const [found] = advice("production", llama("v1.0"), qwen, ollamaPlan());
    expect(found).toMatchObject({ severity: "advisory", rule: "moving-revisions", subject: "models" });
    expect(found?.message).toMatch(/^llama, qwen: no commit is pinned.* npm run pin -- prod, which writes/);
  });

  it("are not commits, nor of interest in development", () => {
    expect(advice("production", llama(commit))).toEqual([]);
    expect(advice("development", llama())).toEqual([]);
  });
});

describe("service levels and traffic", () => {
  const chat = { concurrency: 8 };
  const speed = { inFlight: 5, saturated: false };
  const traffic = { requestsPerSecond: 2, peakFactor: 2 };
  const advice = (model: object, written: object = chat) =>
    declaredLevels({
      plan: { models: [{ ...qwen, name: "chat", ...model }] },
      environment: { models: { chat: written } },
    } as unknown as Parameters<typeof declaredLevels>[0]).map(({ severity, rule, subject, message }) => {
      expect(severity).toBe("advisory");
      return [rule, subject, message.split(";")[0]];
    });

  it("are not planned for where nobody knows how fast the model is", () => {
    const noSpeed = "the memory bandwidth of the CPUs of laptop is unknown";
    expect(advice({ serviceLevel: { ttftMs: 500 }, noSpeed })).toEqual([
      [
        "service-level-not-planned",
        "models.chat.serviceLevel",
        `chat: nothing is sized by its serviceLevel: ${noSpeed}. What the plan keeps is contextTokens, concurrency and replicas as they are written`,
      ],
    ]);
    expect(advice({ traffic, noSpeed })[0]?.slice(0, 2)).toEqual(["service-level-not-planned", "models.chat.traffic"]);
  });

  it("belong together: times without traffic are those of one request alone", () => {
    expect(advice({ serviceLevel: { tpotMs: 50 }, speed })).toMatchObject([
      [
        "service-level-without-traffic",
        "models.chat.traffic",
        "chat: one request alone keeps the times of its serviceLevel",
      ],
    ]);
    expect(advice({ serviceLevel: { tpotMs: 50 }, speed, traffic })).toEqual([]);
  });

  it("show a concurrency that is below what is under way, unless it follows from them", () => {
    const busy = { traffic, speed: { inFlight: 11.2, saturated: false }, maxReplicas: 2 };
    expect(advice(busy)).toEqual([
      [
        "concurrency-below-traffic",
        "models.chat.concurrency",
        "chat: at a peak of 4 requests/s on 2 replica(s) about 12 requests are under way in each, concurrency is 8: limits of the gateway and targets of scaling count on that. Write models.chat.concurrency: 12, or remove it.",
      ],
    ]);
    expect(advice(busy, { concurrency: 12 })).toEqual([]);
    expect(advice(busy, { concurrency: 8, derived: ["concurrency"] })).toEqual([]);
  });

  it("that nobody declares are no matter, nor is availability, which replicas keep", () => {
    expect(advice({ speed })).toEqual([]);
    expect(advice({ serviceLevel: { availability: 0.999 }, noSpeed: "any" })).toEqual([]);
  });
});

describe("sessions", () => {
  type Advised = Parameters<typeof sessions>[0];
  const advice = (affinity: string, ...models: Partial<ModelPlan>[]) =>
    sessions({
      plan: { models: models.map((model) => modelPlan(model)) },
      environment: {
        gateway: { affinity },
        models: Object.fromEntries(models.map(({ name = "" }) => [name, name === "off" ? { affinity: "none" } : {}])),
      },
    } as unknown as Advised);

  it("are kept together by one replica anyway, and moved by replicas that come and go", () => {
    expect(
      advice(
        "cookie",
        { name: "one", minReplicas: 1, maxReplicas: 1 },
        { name: "grows", minReplicas: 2, maxReplicas: 4 },
        { name: "stays", minReplicas: 3, maxReplicas: 3 },
        { name: "off", minReplicas: 1, maxReplicas: 1 },
        { name: "shared", minReplicas: 2, maxReplicas: 2 },
        { name: "shared-canary", minReplicas: 1, maxReplicas: 1, revisionOf: { model: "shared", weight: 20 } },
        { name: "promoted", minReplicas: 2, maxReplicas: 2 },
        { name: "promoted-canary", minReplicas: 2, maxReplicas: 2, revisionOf: { model: "promoted", weight: 100 } },
      ).map(({ severity, rule, subject, message }) => [severity, rule, subject, message.slice(0, 20)]),
    ).toEqual([
      ["advisory", "session-affinity", "models.one", "there is one replica"],
      ["advisory", "session-affinity", "models.grows", 'affinity "cookie" ho'],
      ["advisory", "session-affinity", "models.shared", "its canary takes 20 "],
    ]);
  });

  it("are no matter where nothing keeps them", () => {
    expect(advice("none", { name: "one", minReplicas: 1, maxReplicas: 1 })).toEqual([]);
  });
});

describe("the plan", () => {
  const folder = useFolder();
  const llamaOnA10 = (changes: object = {}) =>
    onA10(
      { model: "llama-3.1-8b-instruct", contextTokens: 4096 },
      {
        stage: "production",
        gateway: { hostname: "inference.example.com", tls: { kind: "acme", email: "ops@acme.io" } },
        ...changes,
      },
    );
  const rules = (out: string) =>
    JSON.parse(out).violations.map(({ policy, severity }: { policy: string; severity: string }) => [policy, severity]);

  it("gives this advice, and can be deployed all the same", async () => {
    const { status, out } = await planOf(folder, llamaOnA10(), "--json");
    expect(status).toBe(0);
    for (const rule of ["gated-models", "example-names", "moving-revisions"]) {
      expect(rules(out)).toContainEqual([rule, "advisory"]);
    }
  });

  it("knows of a token that is encrypted in the file", async () => {
    const huggingFaceToken = { secure: "v1:3q2+7w==:dGhlLWNpcGhlcnRleHQ=" };
    const { out } = await planOf(folder, llamaOnA10({ huggingFaceToken }), "--json");
    expect(rules(out)).not.toContainEqual(["gated-models", "advisory"]);
  });

  it("keeps it to itself while the plan is refused", async () => {
    const { status, out } = await planOf(folder, llamaOnA10({ budget: { monthlyUsd: 1 } }), "--json");
    expect([status, rules(out)]).toEqual([1, [["monthly-budget", "mandatory"]]]);
  });
});
