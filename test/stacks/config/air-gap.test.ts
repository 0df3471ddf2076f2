import { describe, expect, it } from "vitest";
import { type ConfigProblem, parseEnvironmentFile } from "../../../stacks/config";
import { environmentText, problemsOf } from "./samples";

const HOST = {
  address: "gpu-box.example.internal",
  hostKey: "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIGV4YW1wbGUta2V5LW9mLW5vLW1hY2hpbmUtYXQtYWxs",
};
const CLUSTER = { kind: "edge", provision: "create", hosts: { box: HOST } };
const BUNDLE = { ...CLUSTER, k3s: { bundle: "/srv/bundle" } };
const GATEWAY = { hostname: "inference.example.internal", tls: { kind: "self-signed" } };
const OFFICE = { url: "https://office.example.internal/v1", networks: ["192.168.1.20/32"] };
const SECRET = { secure: "v1:AAAAAAAAAAAAAAAA:BBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBB" };

const environment = {
  stage: "development",
  cluster: BUNDLE,
  pools: { box: { node: { card: "rtx-4090", gpuCount: 1, vcpus: 16, memoryGiB: 64 } } },
  models: { chat: { model: "qwen3-8b" } },
  gateway: GATEWAY,
};

function problems(changes: object): readonly ConfigProblem[] {
  return problemsOf(parseEnvironmentFile(environmentText({ ...environment, ...changes })));
}

const external = (server: object) => ({
  models: { ...environment.models, office: { engine: "external", external: server } },
});
const acme = (server?: string) => ({
  gateway: { ...GATEWAY, tls: { kind: "acme", email: "a@example.com", ...(server && { server }) } },
});
const issuer = (networks?: string[]) => ({
  gateway: {
    ...GATEWAY,
    auth: {
      oidc: {
        issuer: "https://id.example.com/realms/team",
        audience: "inference",
        tenantClaim: "team",
        ...(networks && { networks }),
      },
    },
    consumers: { team: {} },
  },
});

describe("an environment with a bundle", () => {
  it("is right where nothing of it needs the internet later", () => {
    expect(problems({})).toEqual([]);
    for (const inside of [
      {
        observability: {
          alerts: {
            webhook: { networks: ["192.168.1.30/32"], port: 8080 },
            heartbeat: { networks: ["192.168.1.30/32"] },
          },
        },
      },
      external(OFFICE),
      external({ url: "http://192.168.1.30:8000/v1" }),
      issuer(["10.0.0.5/32"]),
    ]) {
      expect(problems(inside)).toEqual([]);
    }
    expect(problems(acme("https://ca.example.internal/acme/directory"))).toEqual([]);
  });

  it.each<[string, object, string]>([
    [
      "an engine that downloads by itself",
      { models: { chat: { model: "llama-3.2-3b-instruct", engine: "ollama" } } },
      "models.chat.engine",
    ],
    [
      "a server of others without networks",
      external({ url: "https://api.example.com/v1" }),
      "models.office.external.networks",
    ],
    [
      "one in public networks",
      external({ ...OFFICE, networks: ["203.0.113.0/24"] }),
      "models.office.external.networks",
    ],
    ["a certificate of Let's Encrypt", acme(), "gateway.tls.kind"],
    ["an issuer of tokens without networks", issuer(), "gateway.auth.oidc.networks"],
    ["a webhook for alerts without networks", { alertWebhookUrl: SECRET }, "alertWebhookUrl"],
    [
      "a receiver of alerts on the internet",
      { observability: { alerts: { slack: {} } } },
      "observability.alerts.slack.networks",
    ],
  ])("refuses %s, and says what to do", (_what, changes, path) => {
    const found = problems(changes);
    expect(found.map((problem) => problem.path)).toEqual([path]);
    expect(found[0]?.allowed).toContain("without internet");
    expect(found[0]?.fix.length).toBeGreaterThan(20);
    // Of an environment that takes things from the internet it is no problem.
    expect(problems({ ...changes, cluster: CLUSTER })).toEqual([]);
  });

  it("refuses Beta9, whose users build images of what they fetch", () => {
    const changes = { beta9PostgresPassword: SECRET };
    expect(problems(changes).map(({ path }) => path)).toContain("beta9");
    expect(problems({ ...changes, cluster: CLUSTER }).map(({ path }) => path)).not.toContain("beta9");
  });

  it("tells all of it at once", () => {
    const all = problems({
      ...acme(),
      models: { chat: { model: "llama-3.2-3b-instruct", engine: "ollama" } },
      alertWebhookUrl: SECRET,
    });
    expect(all.map(({ path }) => path).sort()).toEqual(["alertWebhookUrl", "gateway.tls.kind", "models.chat.engine"]);
  });
});
