/** Sections by which others manage the cluster or people chat: what users copy into them, and into their secrets. */
import { describe, expect, it } from "vitest";
import { validateConfig } from "../../../stacks/config/validate";
import { problemsWith, rightEnvironment, told } from "./samples";

const IMPORT = "https://rancher.example.com/v3/import/9xk2dvq7wzlkfm4h8qtc_c-m-abcd1234.yaml";
const rancher = { acknowledgeClusterAdmin: true, url: "https://rancher.example.com" };
const edge = {
  mode: "edge",
  acknowledgeClusterAdmin: true,
  id: "a",
  url: "https://portainer.example.com:9443",
  tunnelPort: 8000,
};
const gitops = {
  engine: "argo-cd",
  acknowledgeClusterAdmin: true,
  repository: "https://git.example.com/platform/gitops.git",
  path: "clusters/a",
};

/** What a deployment finds, which alone knows the texts of secrets. */
function deployed(sections: object, secrets: Readonly<Record<string, string>>): string[] {
  const found = validateConfig({
    values: { ...rightEnvironment, ...sections, ...secrets },
    encrypted: new Set(Object.keys(secrets)),
  });
  const messages = found.ok ? [] : found.problems.map(({ message }) => message);
  for (const text of Object.values(secrets).filter((each) => each.trim() !== "")) {
    expect(messages.join("\n")).not.toContain(text.trim());
  }
  return messages;
}

describe("rancher.url", () => {
  it("is no import URL: the token in it is neither shown nor taken", () => {
    const [found, ...others] = problemsWith({ rancher: { ...rancher, url: IMPORT } });
    expect(others).toEqual([]);
    expect(found).toMatchObject({ path: "rancher.url", value: '"(hidden)"' });
    expect(found?.fix).toMatch(/^write url: https:\/\/rancher\.example\.com, .*leaked.*inference-stacks:rancherToken$/);
    expect(JSON.stringify(found)).not.toContain("9xk2");
  });

  it.each(["/v3", "/dashboard/c/local", "/import/abc"])("has no path: %s", (path) => {
    const found = problemsWith({ rancher: { ...rancher, url: `https://rancher.example.com${path}` } });
    expect(found.map((each) => each.path)).toEqual(["rancher.url"]);
    expect(found[0]?.fix).toContain("write url: https://rancher.example.com");
    expect(told({ rancher: { ...rancher, url: "https://rancher.example.com/" } }, "rancher")).toEqual([]);
  });
});

describe("rancherToken at a deployment", () => {
  it.each([IMPORT, "9xk2dvq7wzlkfm4h8qtc"])("is taken as %s", (rancherToken) => {
    expect(deployed({ rancher }, { rancherToken })).toEqual([]);
  });

  it.each([
    ["token-abcde:zzzzyyyyxxxxwwwwvvvv", "API token"],
    [`${IMPORT}?x=1`, "ends with /v3/import/"],
    ["https://rancher.example.com/v3/import/9xk2dvq7wzlkfm4h8qtc.yaml", "ends with /v3/import/"],
    ["short", "ends with /v3/import/"],
  ])("is refused as %s", (rancherToken, allowed) => {
    expect(deployed({ rancher }, { rancherToken })).toEqual([expect.stringContaining(allowed)]);
  });

  it("is of the server of rancher.url", () => {
    const other = { ...rancher, url: "https://other.example.com" };
    expect(deployed({ rancher: other }, { rancherToken: IMPORT })).toEqual([
      expect.stringMatching(
        /^rancher\.url is "https:\/\/other\.example\.com"; allowed: https:\/\/rancher\.example\.com/,
      ),
    ]);
  });
});

describe("portainerEdgeKey at a deployment", () => {
  const key = (url: string, tunnel: string) =>
    Buffer.from(`${url}|${tunnel}|aa:bb|7`).toString("base64").replace(/=+$/, "");

  it("is taken where it leads to the section's server", () => {
    const portainerEdgeKey = key("https://portainer.example.com:9443/", "portainer.example.com:8000");
    expect(deployed({ portainer: edge }, { portainerEdgeKey })).toEqual([]);
  });

  it("is refused where NetworkPolicies would close its way, or it is none", () => {
    const elsewhere = key("https://other.example.com", "other.example.com:9000");
    expect(deployed({ portainer: edge }, { portainerEdgeKey: elsewhere })).toEqual([
      expect.stringContaining("portainer.url is"),
      expect.stringContaining("Write tunnelPort: 9000"),
    ]);
    expect(deployed({ portainer: edge }, { portainerEdgeKey: "not-a-key" })).toEqual([
      expect.stringContaining("an edge key as the server shows it"),
    ]);
  });
});

describe("a secret", () => {
  const secure = { secure: "v1:AAAAAAAAAAAAAAAA:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA" };

  it.each<[string, object, string]>([
    ["rancherToken", {}, "rancher"],
    ["gitopsToken", {}, "gitops"],
    ["portainerAgentSecret", {}, "portainer"],
    ["portainerEdgeKey", {}, "portainer.mode: edge"],
    ["portainerEdgeKey", { portainer: { mode: "direct", networks: ["192.168.1.30/32"] } }, "portainer.mode: edge"],
    ["openWebUiClientSecret", {}, "openWebUi.signIn"],
  ])("%s is refused where nothing reads it", (key, sections, reader) => {
    expect(told({ ...sections, [key]: secure }, key)).toEqual([
      expect.stringMatching(
        new RegExp(`only with ${reader}, which reads it.*pulumi config rm inference-stacks:${key}`),
      ),
    ]);
  });

  it("is not refused where its section is there and wrong", () => {
    expect(told({ rancher: { url: 5 }, rancherToken: secure }, "rancherToken")).toEqual([]);
  });

  it("is never part of a correction", () => {
    expect(deployed({ gitops }, { gitopsToken: "plain-secret-text " })).toEqual([
      expect.stringContaining("Run pulumi config set --secret inference-stacks:gitopsToken"),
    ]);
  });
});

describe("Portainer in mode direct", () => {
  const portainer = { mode: "direct", acknowledgeClusterAdmin: true, networks: ["192.168.1.30/32"] };

  it("is refused on a created cluster of a cloud, whose nodes it does not reach", () => {
    const oke = { kind: "oci", provision: "create" };
    expect(told({ cluster: oke, portainer }, "portainer.mode")).toEqual([expect.stringContaining("Write mode: edge")]);
    expect(told({ portainer }, "portainer")).toEqual([]);
  });

  it("needs its networks, and is told which", () => {
    const fixes = (networks: string[]) => problemsWith({ portainer: { ...portainer, networks } }).map(({ fix }) => fix);
    expect(fixes(["192.168.1.30"])).toEqual(["write 192.168.1.30/32"]);
    expect(fixes(["https://192.168.1.30:9443"])).toEqual(["write 192.168.1.30/32"]);
    expect(fixes(["0.0.0.0/0"])).toEqual([expect.not.stringContaining("remove networks")]);
  });
});

describe("an agent's server", () => {
  it("is https:// in every stage, for the agent's own reason", () => {
    const url = "http://rancher.example.com";
    const messages = (stage: string) => told({ stage, rancher: { ...rancher, url } }, "rancher");
    expect(messages("production")).toEqual(messages("development"));
    expect(messages("production")).toEqual([expect.stringContaining("all rights in the cluster")]);
    expect(messages("production").join()).not.toMatch(/prompts|for a trial/);
  });

  it("by an address with networks is told once", () => {
    const url = "https://192.168.1.30:9443";
    expect(told({ portainer: { ...edge, url, networks: ["192.168.1.30/32"] } }, "portainer")).toEqual([
      expect.stringContaining("Give the server a name"),
    ]);
  });
});

describe("gitops.repository", () => {
  const fixOf = (repository: string) =>
    problemsWith({ gitops: { ...gitops, repository } }).map(({ path, fix }) => `${path}: ${fix}`);

  it.each([
    ["git@github.com:org/repo.git", "write https://github.com/org/repo.git"],
    ["ssh://git@git.example.com:2222/org/repo.git", "write https://git.example.com/org/repo.git"],
    ["http://git.example.com:3000/org/repo.git", "write https://git.example.com/org/repo.git"],
    ["github.com/org/repo", "write https://github.com/org/repo"],
    ["https://git.example.com:99999/org/repo.git", "write https://git.example.com/org/repo.git"],
    [
      "https://org@dev.azure.com/org/p/_git/r",
      "write repository: https://dev.azure.com/org/p/_git/r, and username: org",
    ],
  ])("%s is corrected", (repository, fix) => {
    expect(fixOf(repository)).toEqual([expect.stringContaining(`gitops.repository: ${fix}`)]);
  });

  it("by SSH names the token, as there are no deploy keys", () => {
    expect(fixOf("git@github.com:org/repo.git")).toEqual([expect.stringContaining("inference-stacks:gitopsToken")]);
  });

  it("with a name that may be a token does not show it", () => {
    const found = problemsWith({ gitops: { ...gitops, repository: "https://ab12cd34@git.example.com/org/repo.git" } });
    expect(JSON.stringify(found)).not.toContain("ab12cd34");
    expect(found[0]?.fix).toContain("gitopsToken");
  });
});

describe("gitops.path", () => {
  it.each([
    ["/clusters/edge-nvidia", "write clusters/edge-nvidia"],
    ["./clusters//edge-nvidia/", "write clusters/edge-nvidia"],
    [".", "write the path that npm run render writes to"],
    ["/", "write the path that npm run render writes to"],
  ])("%s is corrected", (path, fix) => {
    expect(problemsWith({ gitops: { ...gitops, path } }).map((each) => each.fix)).toEqual([
      expect.stringContaining(fix),
    ]);
  });
});

describe("a chat page's sign-in", () => {
  it("needs an issuer, which is not missing where it is wrong, and is reached", () => {
    const sections = {
      gateway: {
        ...rightEnvironment.gateway,
        consumers: { default: {}, "open-webui": { models: ["chat"] } },
        auth: { oidc: { issuer: "http://sso.example.com", audience: "models" } },
      },
      openWebUi: { hostname: "chat.example.com", adminEmail: "a@b.example", signIn: { clientId: "x" } },
    };
    expect(told(sections, "openWebUi.signIn")).toEqual([]);
    expect(told({ ...sections, gateway: { ...sections.gateway, auth: undefined } }, "openWebUi.signIn")).toHaveLength(
      1,
    );
    const withKeys = (oidc: object) => ({
      ...sections,
      gateway: { ...sections.gateway, auth: { oidc: { audience: "models", ...oidc } } },
    });
    const issuer = "https://sso.site.internal";
    for (const jwksUri of ["https://keys.example.com/jwks", `${issuer}/jwks`]) {
      const networks = problemsWith(withKeys({ issuer, jwksUri })).filter(({ path }) => path.endsWith("oidc.networks"));
      expect(networks).toHaveLength(1);
      expect(told(withKeys({ issuer, jwksUri, networks: ["192.168.1.9/32"] }), "gateway.auth")).toEqual([]);
    }
  });
});

describe("keys of other projects", () => {
  it.each<[string, object, string]>([
    ["gitops", { ...gitops, branch: "main" }, "write revision: main in its place"],
    ["gitops", { ...gitops, url: "x" }, "remove it: repository is written already, and means the same"],
    ["gitops", { ...gitops, token: "x" }, "inference-stacks:gitopsToken"],
    ["rancher", { ...rancher, token: "abc" }, "inference-stacks:rancherToken"],
    ["rancher", { ...rancher, insecure: true }, "caCerts"],
    ["portainer", { ...edge, edgeKey: "aaa" }, "inference-stacks:portainerEdgeKey"],
    ["portainer", { ...edge, agentSecret: "aaa" }, "inference-stacks:portainerAgentSecret"],
    ["tracing", { endpoint: { url: "https://otlp.example.com", token: "a" } }, "inference-stacks:tracingToken"],
  ])("of %s are told what they mean here", (section, written, fix) => {
    expect(problemsWith({ [section]: written }).map((each) => each.fix)).toEqual([expect.stringContaining(fix)]);
  });
});
