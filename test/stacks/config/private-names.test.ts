/** One rule for every section with `networks`: a server with a private name needs them, as NetworkPolicies know no names. */
import { describe, expect, it } from "vitest";
import { environmentFileSchema } from "../../../stacks/config/json-schema";
import { problemsWith, rightEnvironment } from "./samples";

const { models, gateway } = rightEnvironment;

type Settings = Readonly<Record<string, unknown>>;
interface Place {
  /** Of its networks; `*` for names of the environment. */
  readonly path: string;
  readonly host: string;
  readonly sections: (networks: Settings) => Settings;
}

/** A place whose server has a URL. */
function place(path: string, sections: (server: Settings) => Settings): Place {
  const host = "server.site.internal";
  return { path, host, sections: (networks) => sections({ url: `https://${host}`, ...networks }) };
}

const PLACES: readonly Place[] = [
  place("models.gpt.external", (server) => ({ models: { ...models, gpt: { engine: "external", external: server } } })),
  place("nodes.edge.registrar", (server) => ({ nodes: { edge: { model: "qwen3-8b", registrar: server } } })),
  place("storage.buckets.mine", (server) => ({
    storage: { buckets: { mine: server } },
  })),
  place('storage.registries["server.site.internal"]', ({ url: _, ...networks }) => ({
    storage: { registries: { "server.site.internal": networks } },
  })),
  place("storage.hub", (server) => ({ storage: { hub: server } })),
  place("storage.proxy", (server) => ({ storage: { proxy: server } })),
  place("gateway.auth.oidc", ({ url, ...networks }) => ({
    gateway: {
      ...gateway,
      consumers: ["default"],
      auth: { oidc: { issuer: url, jwksUri: `${url}/keys`, audience: "models", ...networks } },
    },
  })),
  place("modelControl.workers.lab", (server) => ({
    modelControl: { workers: { lab: { backend: "ollama", memoryGiB: 16, ...server } } },
  })),
  place("tracing.endpoint", (server) => ({ tracing: { endpoint: server } })),
  place("rancher", (server) => ({ rancher: { acknowledgeClusterAdmin: true, ...server } })),
  place("portainer", (server) => ({
    portainer: { mode: "edge", acknowledgeClusterAdmin: true, id: "edge-1", ...server },
  })),
  place("gitops", ({ url, ...networks }) => ({
    gitops: {
      engine: "argo-cd",
      acknowledgeClusterAdmin: true,
      repository: `${url}/platform.git`,
      path: "a",
      ...networks,
    },
  })),
  {
    path: "observability.alerts.email",
    host: "smtp.lan",
    sections: (networks) => ({
      observability: {
        alerts: { email: { to: ["a@example.com"], from: "b@example.com", smarthost: "smtp.lan:587", ...networks } },
      },
    }),
  },
];

/** Sections whose server is in a secret, known at deployment alone, or needs `networks` whatever its name is. */
const OTHER_RULES = [
  "observability.alerts.webhook",
  "observability.alerts.slack",
  "observability.alerts.heartbeat",
  "observability.alerts.pagerduty",
  "portainer",
];

describe("a server with a private name", () => {
  it.each(PLACES)("is refused without networks, and taken with them: $path", ({ path, host, sections }) => {
    const found = problemsWith(sections({})).filter((problem) => problem.path.startsWith(`${path}.`));
    expect(found.map(({ path: at, value }) => ({ at, value }))).toEqual([{ at: `${path}.networks`, value: "nothing" }]);
    expect(found[0]?.allowed).toContain(`the networks of ${host}`);
    const right = problemsWith(sections({ networks: ["192.168.1.40/32"] }));
    expect(right.filter((problem) => problem.path.startsWith(`${path}.`))).toEqual([]);
  });

  it("stands in a place of the table, wherever the configuration has networks", () => {
    const known = [...PLACES.map(({ path }) => path), ...OTHER_RULES];
    const schema = environmentFileSchema();
    const open = [...sectionsWithNetworks(schema, "")].filter(
      (section) => !known.some((path) => matches(section, path)),
    );
    expect(open).toEqual([]);
  });
});

function matches(section: string, path: string): boolean {
  const names = section.split(".*").map((part) => part.replaceAll(".", "\\."));
  return new RegExp(`^${names.join(String.raw`(\.[\w-]+|\[".+"\])`)}$`).test(path);
}

function* sectionsWithNetworks(node: unknown, path: string): Generator<string> {
  if (typeof node !== "object" || node === null) {
    return;
  }
  for (const [key, child] of Object.entries(node)) {
    if (key === "properties" && typeof child === "object" && child !== null) {
      if ("networks" in child) {
        yield path;
      }
      for (const [name, field] of Object.entries(child)) {
        const inner = name === "config" ? "" : name.replace(/^inference-stacks:/, "");
        yield* sectionsWithNetworks(field, [path, inner].filter((each) => each !== "").join("."));
      }
    } else if (key === "additionalProperties") {
      yield* sectionsWithNetworks(child, `${path}.*`);
    } else if (key !== "examples" && key !== "default") {
      yield* sectionsWithNetworks(child, path);
    }
  }
}
