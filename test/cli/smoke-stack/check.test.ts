/** `npm run smoke -- <environment>`, with a fake pulumi, a fake API server and a fake gateway. */
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { main } from "../../../cli/smoke";
import { type Expected, expectedOf } from "../../../cli/status/expected";
import { runEnvironment } from "../../../offline/environment";
import { parseEnvironmentFile } from "../../../stacks/config";
import { environmentIn, laptop, runPiped, useFolder } from "../run";
import { ANSWER, closeServers, type FakeServer, type Routes, serve } from "../smoke-servers";

const folder = useFolder();
const bin = join(folder, "bin");
const KEY = "key-of-the-consumer";
const TOKEN = "token-of-the-cluster";
const base64 = (text: string) => Buffer.from(text).toString("base64");

const hostKey = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIGV4YW1wbGUta2V5LW9mLW5vLW1hY2hpbmUtYXQtYWxs";
/** A machine that the stack makes a cluster of, at this computer's address. */
const EDGE = {
  ...laptop,
  cluster: { kind: "edge", provision: "create", hosts: { box: { address: "127.0.0.1", user: "ops", hostKey } } },
  gateway: { hostname: "inference.example.internal", tls: { kind: "secret", secretName: "own-tls" } },
};
const GITOPS = {
  engine: "argo-cd",
  acknowledgeClusterAdmin: true,
  repository: "https://git.example.com/x.git",
  path: "test",
};
let expected: Expected;
let environment = "";

beforeAll(async () => {
  environment = environmentIn(folder, EDGE);
  const file = parseEnvironmentFile(readFileSync(environment, "utf8"));
  expected = expectedOf(await runEnvironment({ name: "test", file, baseDirectory: dirname(environment) }));
  mkdirSync(bin);
});
beforeEach(() => vi.stubEnv("PATH", `${bin}${delimiter}${process.env.PATH}`));
afterEach(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
});
afterAll(closeServers);

/** A pulumi that notes its command line and prints outputs, or says on its error stream that it has none. */
function pulumi(outputs: object | undefined): void {
  const file = join(bin, "pulumi");
  writeFileSync(join(folder, "outputs"), JSON.stringify(outputs ?? {}));
  writeFileSync(join(folder, "calls"), "");
  const say = outputs ? `cat "${folder}/outputs"` : "echo \"error: no stack named 'test' found\" >&2; exit 255";
  writeFileSync(file, `#!/bin/sh\necho "$* $(env)" >>"${folder}/calls"\n${say}\n`);
  chmodSync(file, 0o755);
}

/** Routes by the first that matches: changed ones come first. */
function routes(changes: Routes, defaults: Routes): Routes {
  return { ...changes, ...Object.fromEntries(Object.entries(defaults).filter(([key]) => !(key in changes))) };
}

/** Pods of the model, ready or not; Secrets of the gateway. */
function apiServer(changes: Routes = {}): Promise<FakeServer> {
  const [{ namespace, name, selector } = { namespace: "", name: "", selector: {} }] =
    expected.models[0]?.workloads ?? [];
  const metadata = { name: "chat-0", namespace, labels: selector, creationTimestamp: new Date().toISOString() };
  const ready = { phase: "Running", conditions: [{ type: "Ready", status: "True" }] };
  return serve(
    routes(changes, {
      [`GET /api/v1/namespaces/${namespace}/pods*`]: () => ({ body: { items: [{ metadata, status: ready }] } }),
      [`GET /apis/apps/v1/namespaces/${namespace}/statefulsets/${name}`]: () => ({ body: { spec: { replicas: 1 } } }),
      "GET /api/v1/namespaces/inference-gateway/secrets/consumer-default": () => ({
        body: { data: { default: base64(KEY) } },
      }),
      "GET /api/v1/namespaces/inference-gateway/secrets/own-tls": () => ({
        body: { data: { "tls.crt": base64("PEM") } },
      }),
      "GET /api/v1/namespaces/inference-gateway/secrets/*": () => ({ status: 404 }),
      "GET /apis/argoproj.io/*": () => ({ status: 404 }),
      "GET /*": () => ({ body: { items: [] } }),
    }),
  );
}

const gateway = (changes: Routes = {}): Promise<FakeServer> =>
  serve(
    routes(changes, {
      "GET /chat/v1/models": () => ({ body: { data: [{ id: "chat-id" }] } }),
      "POST /chat/v1/chat/completions": () => ANSWER,
    }),
  );

function outputsOf(api: FakeServer, front: FakeServer) {
  const kubeconfig = JSON.stringify({
    "current-context": "c",
    clusters: [{ name: "c", cluster: { server: api.url } }],
    contexts: [{ name: "c", context: { cluster: "c", user: "u" } }],
    users: [{ name: "u", user: { token: TOKEN } }],
  });
  const baseUrl = `http://inference.example.internal:${new URL(front.url).port}/chat/v1`;
  return {
    kubeconfig,
    consumerSecrets: { default: "consumer-default" },
    models: { chat: { baseUrl, modelId: "chat-id" } },
  };
}

/** Has the wait's time pass a thousand times as fast. */
function hurry(): void {
  const began = performance.now();
  const now = performance.now.bind(performance);
  vi.spyOn(performance, "now").mockImplementation(() => began + (now() - began) * 1000);
}

const smoke = (...argv: string[]) => runPiped(main, ["test", "--config", environment, ...argv]);

describe("npm run smoke -- <environment>", () => {
  it("asks the models with the address, the cluster and the key of the stack, at the machine", async () => {
    const [api, front] = await Promise.all([apiServer(), gateway()]);
    pulumi(outputsOf(api, front));
    const { status, out, err } = await smoke();
    expect([status, out]).toEqual([0, expect.stringContaining("✓ passed")]);
    expect(out).toContain("Asked at 127.0.0.1; clients need inference.example.internal to resolve to it.");
    expect(front.requests.map(({ authorization }) => authorization)).toEqual(front.requests.map(() => `Bearer ${KEY}`));
    // The plan's concurrency: more than it was sized for would be shed.
    expect(front.requests.filter(({ method }) => method === "POST")).toHaveLength(1 + laptop.models.chat.concurrency);
    const calls = readFileSync(join(folder, "calls"), "utf8");
    expect(calls).toMatch(/^--non-interactive stack output --json --show-secrets --stack test /);
    for (const secret of [KEY, TOKEN]) {
      expect(`${calls}${out}${err}${JSON.stringify(process.env)}`).not.toContain(secret);
    }
  });

  it("fails where a model answers wrongly, and says where to look", async () => {
    const broken = {
      "POST /chat/v1/chat/completions": () => ({ status: 500, body: { error: { message: "no kernel" } } }),
    };
    const [api, front] = await Promise.all([apiServer(), gateway(broken)]);
    pulumi(outputsOf(api, front));
    const { status, out } = await smoke();
    expect(status).toBe(1);
    expect(out).toContain("no kernel");
    expect(out).toContain("Check again: npm run smoke -- test\n");
  });

  it("does not fail while a model still starts: it says so, and how to check again", async () => {
    const [{ namespace } = { namespace: "" }] = expected.models[0]?.workloads ?? [];
    const metadata = { name: "chat-0", namespace, labels: expected.models[0]?.workloads[0]?.selector };
    const waiting = {
      metadata: { ...metadata, creationTimestamp: new Date().toISOString() },
      status: {
        phase: "Running",
        containerStatuses: [{ name: "engine", ready: false, restartCount: 0, state: { running: {} } }],
      },
    };
    let logs = 0;
    const changes: Routes = {
      // The API server would ask the kubelet of the pod's node.
      [`GET /api/v1/namespaces/${namespace}/pods/chat-0/log*`]: () => {
        logs += 1;
        return { body: "" };
      },
      [`GET /api/v1/namespaces/${namespace}/pods*`]: () => ({ body: { items: [waiting] } }),
    };
    const [api, front] = await Promise.all([apiServer(changes), gateway()]);
    pulumi(outputsOf(api, front));
    hurry();
    const { status, out } = await smoke("--wait", "1");
    expect([status, out]).toEqual([0, expect.stringContaining("Not checked yet: chat starting, 0 of 1 ready.")]);
    expect(out).toContain("Check again: npm run smoke -- test\n");
    expect([front.requests, logs]).toEqual([[], 0]);
  });

  it("asks no model before Argo CD has applied the folder", async () => {
    const synced = environmentIn(folder, { ...EDGE, gitops: GITOPS });
    const state = { sync: { status: "OutOfSync" }, health: { status: "Progressing" } };
    const application = "GET /apis/argoproj.io/v1alpha1/namespaces/argocd/applications/inference-test-root";
    const front = await gateway();
    const api = await apiServer({ [application]: () => ({ body: { status: state } }) });
    pulumi(outputsOf(api, front));
    hurry();
    const argv = ["test", "--config", synced, "--wait", "1"];
    const early = await runPiped(main, argv);
    vi.restoreAllMocks();
    expect([early.status, early.out]).toEqual([0, expect.stringContaining("Argo CD OutOfSync, Progressing")]);
    expect(front.requests).toEqual([]);
    state.sync.status = "Synced";
    state.health.status = "Healthy";
    expect((await runPiped(main, argv)).status).toBe(0);
    expect(front.requests).not.toEqual([]);
  });

  it("says that the gateway has no certificate, with the command that gives it one", async () => {
    const missing = { "GET /api/v1/namespaces/inference-gateway/secrets/own-tls": () => ({ status: 404 }) };
    const [api, front] = await Promise.all([apiServer(missing), gateway()]);
    pulumi(outputsOf(api, front));
    const { status, out } = await smoke();
    expect([status, out]).toEqual([1, expect.stringContaining("create secret tls own-tls --cert=tls.crt")]);
  });

  it("has a key given where the stack's consumers have none that may be read", async () => {
    const hidden = { "GET /api/v1/namespaces/inference-gateway/secrets/consumer-default": () => ({ status: 403 }) };
    const [api, front] = await Promise.all([apiServer(hidden), gateway()]);
    pulumi(outputsOf(api, front));
    const { status, out } = await smoke();
    expect([status, out]).toEqual([0, expect.stringContaining("chat is not asked: no key of a consumer")]);
    const file = join(folder, "key");
    writeFileSync(file, "my-own-key\n");
    expect((await smoke("--api-key-file", file)).status).toBe(0);
    expect(front.requests[0]?.authorization).toBe("Bearer my-own-key");
  });

  it("says what Pulumi says of a stack that is not there, and that a stack has no platform yet", async () => {
    pulumi(undefined);
    const gone = await smoke();
    expect([gone.status, gone.out]).toEqual([1, expect.stringContaining("no stack named 'test' found")]);
    pulumi({ kubeconfig: "x" });
    const half = await smoke();
    expect([half.status, half.out]).toEqual([1, expect.stringContaining("pulumi up has not ended well")]);
  });

  it("does not wait for a cluster that gives no answer", async () => {
    const [api, front] = await Promise.all([apiServer(), gateway()]);
    const outputs = outputsOf(api, front);
    pulumi({ ...outputs, kubeconfig: outputs.kubeconfig.replace(/127\.0\.0\.1:\d+/, "127.0.0.1:1") });
    const { status, out } = await smoke();
    expect([status, out]).toEqual([1, expect.stringContaining("nothing listens at 127.0.0.1:1")]);
  });

  it("is machine-readable", async () => {
    const [api, front] = await Promise.all([apiServer(), gateway()]);
    pulumi(outputsOf(api, front));
    const { out } = await smoke("--json");
    expect(JSON.parse(out)).toMatchObject({
      ...{ passed: true, environment: "test", outcome: "checked" },
      checks: [{ steps: expect.any(Array) }],
    });
  });
});

describe("the command line", () => {
  it.each([
    [["dve"], 'did you mean "dev"?'],
    [["dev", "edge-nvidia"], 'unexpected "edge-nvidia"'],
    [["dev", "--stop-worker", "--control-url", "http://a"], "--control-url, --stop-worker: give --url"],
    [["--url", "http://a", "--wait", "5"], "--wait: name an environment"],
    [["dev", "--wait", "0"], "--wait must be"],
  ])("%j: bad input", async (argv, words) => {
    const { status, err } = await runPiped(main, argv);
    expect([status, err]).toEqual([2, expect.stringContaining(words)]);
  });
});
