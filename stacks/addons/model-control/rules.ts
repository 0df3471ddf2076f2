import { mirrored, portOf, registryPorts, splitReference } from "../../../catalog/image-mirror";
import { engineNames, engineOf } from "../../../engines";
import { DEFAULT_REGISTRY, splitSource } from "../../../engines/sources";
import { MODEL_CONTROL_NAMESPACE } from "../../../names/namespaces";
import { noModelIn } from "../../config/core/model-namespaces";
import type { Rule } from "../../config/core/rule";
import type { ModelConfig } from "../../config/core/schema";
import { hostnameOf } from "../../config/core/wildcard-dns";
import type { ModelControlConfig } from "./config";

type Own = { readonly modelControl: ModelControlConfig };

/** Engines with their own registries fetch models at run time. */
const fetching = engineNames.filter((name) => engineOf(name).weightsFrom === "registry");

/** Also while the API is off: turning it on must not require renaming a model. */
export const noModelInModelControl = noModelIn(MODEL_CONTROL_NAMESPACE, "the model control API");

export const modelControlHasAnImage: Rule<Own> = function* ({ sections: { modelControl } }) {
  if (modelControl?.enabled && modelControl.image === undefined) {
    yield {
      path: ["modelControl", "image"],
      value: undefined,
      allowed: "the pinned image of the API, when it is enabled",
      fix: "build and push services/model-control (its README says how) and add image: <registry>/<repository>:<tag>; or write enabled: false",
    };
  }
};

/** Provisioned OKE nodes reach only registries, at their ports. */
export const nodesReachItsImage: Rule<Own> = function* ({ sections: { modelControl, cluster, images = {} } }) {
  const image = modelControl?.enabled ? modelControl.image : undefined;
  if (image === undefined || cluster?.kind !== "oci" || cluster.provision !== "create") {
    return;
  }
  const port = portOf(mirrored(image, images));
  if (!registryPorts(images).includes(port)) {
    const { registry } = splitReference(image);
    yield {
      path: ["modelControl", "image"],
      value: image,
      allowed: `a registry at port ${registryPorts(images).join(" or ")}: what nodes of the cluster that is made here may reach`,
      fix: `name its registry under images.registries, by itself: "${registry}": "${registry}"`,
    };
  }
};

export const modelControlHasItsOwnHostname: Rule<Own> = function* ({ sections: { modelControl, gateway } }) {
  if (modelControl?.hostname !== undefined && modelControl.hostname === (gateway && hostnameOf(gateway))) {
    yield {
      path: ["modelControl", "hostname"],
      value: modelControl.hostname,
      allowed: "another name than the gateway's: models answer there",
      fix: `write for example control.${modelControl.hostname}, or remove it`,
    };
  }
};

export const warmModelsHaveAnEngine: Rule<Own> = function* ({ sections: { modelControl, models } }) {
  const warm = modelControl?.enabled ? modelControl.warmModels : [];
  const outside = Object.values(modelControl?.workers ?? {}).map(({ backend }) => backend);
  const engines = [...Object.values(models ?? {}).map(({ engine }) => engine), ...outside];
  if (models && warm.length > 0 && engines.every((engine) => !fetching.includes(engine))) {
    yield {
      path: ["modelControl", "warmModels"],
      value: warm,
      allowed: `nothing, while no model has engine: ${fetching.join(" or ")}: other engines fetch no models at run time`,
      fix: `remove it, or add a model with engine: ${fetching[0]}`,
    };
  }
};

export const warmModelsHaveAnEngineThatRuns: Rule<Own> = function* ({ sections: { modelControl, models = {} } }) {
  const warm = modelControl?.enabled ? modelControl.warmModels : [];
  const own = Object.entries(models).filter(([, { engine }]) => fetching.includes(engine));
  const elsewhere = Object.values(modelControl?.workers ?? {}).some(({ backend }) =>
    fetching.some((name) => name === backend),
  );
  const [first] = own;
  if (warm.length > 0 && first && !elsewhere && own.every(([, { replicas }]) => replicas.min === 0)) {
    yield {
      path: ["modelControl", "warmModels"],
      value: warm,
      allowed: `nothing, while models.${first[0]}.replicas.min is 0: what sleeps fetches nothing, and the Job that asks for it would fail`,
      fix: `remove it, or write models.${first[0]}.replicas.min: 1`,
    };
  }
};

export const warmModelsAreAllowed: Rule<Own> = function* ({ sections: { modelControl } }) {
  const { warmModels = [], allowedRegistries = [] } = modelControl ?? {};
  for (const [index, model] of warmModels.entries()) {
    const path = ["modelControl", "warmModels", index];
    const registry = registryOf(model);
    if (!allowedRegistries.includes(registry)) {
      yield {
        path,
        value: model,
        allowed: `a model of ${allowedRegistries.join(", ")}`,
        fix: `add ${registry} to modelControl.allowedRegistries, or remove the model`,
      };
    } else if (warmModels.indexOf(model) < index) {
      yield { path, value: model, allowed: "each model once", fix: "remove it" };
    }
  }
};

/** The API does not start with a planned model from a forbidden registry. */
export const plannedRegistriesAreAllowed: Rule<Own> = function* ({ sections: { modelControl, models = {} } }) {
  if (!modelControl?.enabled) {
    return;
  }
  const fetched = Object.values(models).filter(({ engine }) => fetching.includes(engine));
  const needed = fetched.flatMap((model) => [DEFAULT_REGISTRY, ...registriesOf(model)]);
  const missing = [...new Set(needed)].filter((registry) => !modelControl.allowedRegistries.includes(registry));
  if (missing.length > 0) {
    yield {
      path: ["modelControl", "allowedRegistries"],
      value: modelControl.allowedRegistries,
      allowed: `a list with ${missing.join(", ")}: models of this environment come from there`,
      fix: `write allowedRegistries: [${[...modelControl.allowedRegistries, ...missing].join(", ")}]`,
    };
  }
};

export const ollamaApiHasAnOllama: Rule<Own> = function* ({ sections: { modelControl, models } }) {
  if (!modelControl?.ollamaApi || models === undefined) {
    return;
  }
  const path = ["modelControl", "ollamaApi"];
  const engines = [...Object.values(models), ...Object.values(modelControl.workers)].map((each) =>
    "engine" in each ? each.engine : each.backend,
  );
  if (!modelControl.enabled) {
    yield {
      path,
      value: true,
      allowed: "nothing, while the API is off: its relay answers for Ollama",
      fix: "write enabled: true, or remove it",
    };
  } else if (!engines.includes("ollama")) {
    yield {
      path,
      value: true,
      allowed: "nothing, while no model and no worker is an Ollama",
      fix: "remove it, or add a model with engine: ollama",
    };
  }
};

function registriesOf({ source }: Pick<ModelConfig, "source">): string[] {
  const from = source === undefined ? undefined : splitSource(source);
  return from?.kind !== "ollama" ? [] : [registryOf(from.name)];
}

/** Only the first of three parts is a host. */
function registryOf(model: string): string {
  const [first = "", ...others] = model.split("/");
  return others.length === 2 ? first.toLowerCase() : DEFAULT_REGISTRY;
}
