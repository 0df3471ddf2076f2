/** Rules of external engines that the API controls. */
import { outsideServer } from "../../../names/outside-server";
import { isToldItsModels } from "../../../services/model-control/src/backends/backend";
import { outsideProblems } from "../../config/core/outside-url";
import type { Rule } from "../../config/core/rule";
import type { ModelControlConfig } from "./config";

type Own = { readonly modelControl: ModelControlConfig };

/** Also while the API is off: it must be correct when turned on. */
export const workersAreServersOfOthers: Rule<Own> = function* ({ sections: { modelControl, stage } }) {
  for (const [name, worker] of Object.entries(modelControl?.workers ?? {})) {
    const path = ["modelControl", "workers", name];
    const problems = [...outsideProblems(path, worker, stage)];
    yield* problems;
    if (problems.length === 0 && outsideServer(worker.url)?.path !== "") {
      yield {
        path: [...path, "url"],
        value: worker.url,
        allowed: "the engine's address without a path: the API has paths of its own",
        fix: `write ${new URL(worker.url).origin}`,
      };
    }
  }
};

/** Workers, models and replicas share names in the API and in gateway paths. */
export const workersHaveNamesOfTheirOwn: Rule<Own> = function* ({
  sections: { modelControl, models, externalModels },
  declared,
}) {
  const served = new Map<string, string>();
  for (const [name, { servedName = name }] of Object.entries({ ...models, ...externalModels })) {
    served.set(servedName, `models.${name}`);
  }
  for (const [name, { adapters = {} }] of Object.entries(models ?? {})) {
    Object.keys(adapters).forEach((adapter) => {
      served.set(adapter, `models.${name}.adapters`);
    });
  }
  for (const [name, worker] of Object.entries(modelControl?.workers ?? {})) {
    const path = ["modelControl", "workers", name];
    const model = declared.models.find((each) => each === name || replicaOf(each, name));
    if (model !== undefined) {
      yield {
        path,
        value: name,
        allowed: `a name of its own: models.${model} and its replicas have this one`,
        fix: `rename it, for example to ${name}-outside`,
      };
    }
    for (const [index, called] of worker.models.entries()) {
      const owner = served.get(called);
      if (owner !== undefined) {
        yield {
          path: [...path, "models", index],
          value: called,
          allowed: `a name that nothing else answers to: ${owner} does`,
          fix: "remove it here, or give the other another name",
        };
      }
      served.set(called, owner ?? `modelControl.workers.${name}`);
    }
  }
};

/** The API numbers replicas with own volumes. */
function replicaOf(model: string, name: string): boolean {
  return name.startsWith(`${model}-`) && /^\d+$/.test(name.slice(model.length + 1));
}

export const workersNameTheirModels: Rule<Own> = function* ({ sections: { modelControl } }) {
  for (const [name, { backend, models }] of Object.entries(modelControl?.workers ?? {})) {
    if (isToldItsModels(backend) && models.length === 0) {
      yield {
        path: ["modelControl", "workers", name, "models"],
        value: models,
        allowed: `the models that this ${backend} was started with: it serves no others`,
        fix: "name them as GET /v1/models of the engine does",
      };
    }
  }
};
