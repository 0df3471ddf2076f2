import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, it } from "vitest";
import { repositoryRoot } from "../../names/repository-root";
import { podsOf, recordedObjects } from "../harness/recorded-objects";
import { changedRun } from "./run";

/** Scripts that end without a variable, by what a container's RUN says. */
const SCRIPTS: Readonly<Record<string, string>> = {
  sync: "components/storage/scripts/sync.ts",
  "sync-adapters": "components/storage/scripts/sync-adapters.ts",
  fetch: "components/storage/scripts/fetch.ts",
  "fetch-adapters": "components/storage/scripts/fetch-adapters.ts",
  metrics: "components/storage/scripts/metrics.ts",
};
/** Kubernetes sets them. */
const BUILT_IN = /^KUBERNETES_/;
/** What is not read, by the variable that is set; of the Hub none is. */
const UNREAD: Readonly<Record<string, RegExp>> = {
  SOURCE_BUCKET: /^(SOURCE_)?REPOSITORY$/,
  SOURCE_REGISTRY: /^(REPOSITORY|SOURCE_REGION)$/,
};
const OF_THE_HUB = /^SOURCE_/;

/** Variables without which a script ends, those of the modules that it takes functions from included. */
function needed(file: string, seen = new Set<string>()): ReadonlySet<string> {
  const text = readFileSync(join(repositoryRoot(), file), "utf8");
  seen.add(file);
  const names = [...text.matchAll(/environmentVariable\("(\w+)"\)/g)].map(([, name = ""]) => name);
  const modules = [...text.matchAll(/^import \{.*from "(\.\/[\w./-]+)"/gm)].map(([, to = ""]) =>
    join(dirname(file), to),
  );
  // What other scripts read when they run themselves is theirs.
  const others = new Set(Object.values(SCRIPTS));
  const below = modules
    .filter((module) => !seen.has(module) && !others.has(module))
    .flatMap((module) => [...needed(module, seen)]);
  return new Set([...names, ...below]);
}

interface Container {
  readonly env?: readonly { readonly name: string; readonly value?: string }[];
}

/** Scripts that run, and which of their variables nothing sets. */
function running(resources: Parameters<typeof recordedObjects>[0]): { run: string; unset: string[] }[] {
  const containers = recordedObjects(resources)
    .flatMap((object) => podsOf(object))
    .flatMap(({ spec }) => {
      const { containers: own = [], initContainers = [] } = spec as Record<string, Container[] | undefined>;
      return [...own, ...initContainers];
    });
  return containers.flatMap(({ env = [] }) => {
    const run = env.find(({ name }) => name === "RUN")?.value ?? "";
    const script = SCRIPTS[run];
    const names = new Set(env.map(({ name }) => name));
    const unread = Object.entries(UNREAD).find(([name]) => names.has(name))?.[1] ?? OF_THE_HUB;
    return script === undefined
      ? []
      : [
          {
            run,
            unset: [...needed(script)].filter((name) => !names.has(name) && !BUILT_IN.test(name) && !unread.test(name)),
          },
        ];
  });
}

/** A model with an adapter, whose weights come from a bucket, and which the engine reads by itself or finds copied. */
const adapted = (vllm: object) =>
  changedRun("oci-a10", {
    storage: { buckets: { "corp-models": { url: "https://s3.eu-central-1.amazonaws.com" } } },
    models: {
      chat: {
        model: "qwen2.5-7b-instruct",
        source: "s3://corp-models/chat",
        adapters: { legal: "hf://org/legal-lora@0123456789abcdef0123456789abcdef01234567" },
        vllm,
      },
      packed: { model: "qwen2.5-7b-instruct", source: `oci://registry.example.com/qwen:v1@sha256:${"a".repeat(64)}` },
    },
    nodes: undefined,
    modelControl: undefined,
  });

/** Files that mounted scripts import when they run, and that are not mounted with them. */
function unmounted(resources: Parameters<typeof recordedObjects>[0]): string[] {
  return recordedObjects(resources)
    .filter(({ kind }) => kind === "ConfigMap")
    .flatMap(({ name: configMap, inputs }) => {
      const { data = {} } = inputs as { readonly data?: Readonly<Record<string, string>> };
      return Object.entries(data).flatMap(([name, text]) =>
        [...text.matchAll(/^(?:import|export) (?!type )[^;]*? from "\.\/([\w-]+\.ts)";$/gms)].flatMap(
          ([, file = ""]) => (file in data ? [] : [`${configMap}: ${name} imports ${file}`]),
        ),
      );
    });
}

it("every script finds the variables set, and the files mounted, that it cannot do without", async () => {
  const streamed = await adapted({});
  const copied = await adapted({ loading: "copy" });
  const found = [streamed, copied].flatMap(({ resources }) => running(resources));
  expect([streamed, copied].flatMap(({ resources }) => unmounted(resources))).toEqual([]);
  expect(found.filter(({ unset }) => unset.length > 0)).toEqual([]);
  expect(new Set(found.map(({ run }) => run))).toEqual(new Set(Object.keys(SCRIPTS)));
});
