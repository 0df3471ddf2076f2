import { originOf } from "../../engines/sources";
import type { DeploymentPlan, ModelLoading, ModelPlan, ModelSource } from "../../planner/types";
import { breakable, type Column, dataTable, type Section, twoLines } from "./elements";
import { count } from "./format";
import { html, type Part } from "./markup";

const COLUMNS: readonly Column[] = [
  { title: "Model" },
  { title: "Comes from" },
  { title: "Weights", kind: "number" },
  { title: "Volume per pod", kind: "number" },
  { title: "Loading", kind: "short" },
  { title: "Through the store" },
];

const LOADINGS: Readonly<Record<ModelLoading, string>> = {
  copy: "copied first",
  cache: "from the node's cache",
  stream: "streamed",
  mount: "mounted",
};

/** Where weights come from and what they take on disk. */
export function storageSection({ models, storage }: DeploymentPlan): Section {
  const lead =
    storage.models.length > 0
      ? html`Model store: bucket <b>${storage.bucket}</b>${storage.backend ? " elsewhere" : ""}, <b>${count(storage.bucketGiB ?? storage.sizeGiB)} GiB</b> for ${storage.models.join(", ")}.`
      : "No model goes through the model store.";
  return {
    id: "storage",
    title: "Storage",
    lead,
    body: dataTable(
      "Weights and volumes of each model",
      COLUMNS,
      models.map((m) => row(m, storage.models.includes(m.name))),
    ),
  };
}

function row(m: ModelPlan, stored: boolean): readonly Part[] {
  return [
    m.name,
    origin(m.source),
    twoLines(`${count(m.weightsGB, 1)} GB`, `${count(m.totalParametersB, 1)} B parameters`),
    m.loading === "mount" || m.loading === "cache" ? "none" : `${count(m.modelStorageGiB)} GiB`,
    LOADINGS[m.loading],
    stored ? "yes" : "no",
  ];
}

function origin(source: ModelSource): Part {
  const { name, place, revision } = originOf(source);
  return twoLines(breakable(name), revision === undefined ? place : `${place}, revision ${revision}`);
}
