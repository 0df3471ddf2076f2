/** `source: pvc://…` and `file:///…`: limits of mounted volumes. */
import { parseSource } from "../../../engines/sources";
import { isSystemFolder } from "../../../names/system-folders";
import type { Rule } from "../core/rule";
import { requestedSettings } from "../engine-block";
import { OWN_WEIGHTS_PAGE } from "../own-weights-page";
import { mountsSource } from "../placed-source";

export const mountedWeightsAreNotStreamed: Rule = function* ({ sections: { models = {}, storage } }) {
  for (const [name, model] of Object.entries(models)) {
    const { loading } = requestedSettings(model);
    if (storage && mountsSource(model, storage) && loading === "stream") {
      yield {
        path: ["models", name, model.engine, "loading"],
        value: loading,
        allowed: "nothing: a mounted volume is read as a folder, and streams come from the model store",
        fix: `remove loading, or name a source in the model store (${OWN_WEIGHTS_PAGE})`,
      };
    }
  }
};

export const adaptersComeFromTheStore: Rule = function* ({ sections: { models = {}, storage } }) {
  for (const [name, model] of Object.entries(models)) {
    const adapters = Object.keys(model.adapters ?? {});
    if (storage && mountsSource(model, storage) && adapters.length > 0) {
      yield {
        path: ["models", name, "adapters"],
        value: adapters,
        allowed: "adapters of models in the model store: pods of a model on a mounted volume have no keys to it",
        fix: `remove adapters, or name a source in the model store (${OWN_WEIGHTS_PAGE})`,
      };
    }
  }
};

/** Nodes of clouds are replaced, with their disks. */
export const foldersAreOfOwnMachines: Rule = function* ({ sections: { models = {}, cluster } }) {
  for (const [name, { source: text }] of Object.entries(models)) {
    const source = text === undefined ? undefined : parseSource(text);
    if (source?.kind !== "folder") {
      continue;
    }
    const path = ["models", name, "source"];
    if (cluster && cluster.kind !== "edge" && (cluster.kind !== "local" || cluster.provision === "create")) {
      yield {
        path,
        value: text,
        allowed:
          "file:// with cluster.kind: edge, or local with provision: existing: other nodes are replaced with their disks",
        fix: `copy the folder to a volume, and write pvc://claim/path (${OWN_WEIGHTS_PAGE})`,
      };
    }
    if (isSystemFolder(source.path)) {
      yield {
        path,
        value: text,
        allowed: "a folder of data: no folder of the node's system",
        fix: `copy the files to a folder such as /srv/models/${name}`,
      };
    }
  }
};
