/** Formats that can be imported. */
import type { Draft } from "../draft";
import type { FieldTable } from "../field-table";
import type { Ledger } from "../ledger";
import type { SourceDocument } from "../read-documents";
import { isCompose, readCompose } from "./compose";
import { isInferenceSet, isKaito, readInferenceSet, readKaito } from "./kaito";
import { isInferenceService, isLlmInferenceService, readInferenceService, readLlmInferenceService } from "./kserve";
import { isKubeai, readKubeai } from "./kubeai";
import { isOciRecipe, readOciRecipe } from "./oci-recipe";
import { isOllamaHelm, readOllamaHelm } from "./ollama-helm";
import { isProductionStack, readProductionStack } from "./production-stack";
import {
  composeTable,
  kaitoInferenceSetTable,
  kaitoTable,
  kserveInferenceServiceTable,
  kserveLlmInferenceServiceTable,
  kubeaiTable,
  ociRecipeTable,
  ollamaHelmTable,
  productionStackTable,
} from "./tables";

export interface Format {
  /** Name of fields/<name>.json, schemas/<name>.json, docs/coming-from/<name>.md. */
  readonly name: string;
  readonly label: string;
  readonly table: FieldTable;
  readonly accepts: (root: SourceDocument["root"]) => boolean;
  /** `all`: documents that it may refer to. */
  readonly read: (document: SourceDocument, draft: Draft, all: readonly SourceDocument[]) => readonly Ledger[];
}

/** In order of recognition. */
export const FORMATS: readonly Format[] = [
  {
    name: "oci-recipe",
    label: "OCI AI Blueprints",
    table: ociRecipeTable,
    accepts: isOciRecipe,
    read: readOciRecipe,
  },
  {
    name: "production-stack",
    label: "vLLM production-stack",
    table: productionStackTable,
    accepts: isProductionStack,
    read: readProductionStack,
  },
  {
    name: "kserve-inference-service",
    label: "KServe InferenceService",
    table: kserveInferenceServiceTable,
    accepts: isInferenceService,
    read: readInferenceService,
  },
  {
    name: "kserve-llm-inference-service",
    label: "KServe LLMInferenceService",
    table: kserveLlmInferenceServiceTable,
    accepts: isLlmInferenceService,
    read: readLlmInferenceService,
  },
  {
    name: "kubeai-model",
    label: "KubeAI Model",
    table: kubeaiTable,
    accepts: isKubeai,
    read: readKubeai,
  },
  {
    name: "kaito-workspace",
    label: "KAITO Workspace",
    table: kaitoTable,
    accepts: isKaito,
    read: readKaito,
  },
  {
    name: "kaito-inference-set",
    label: "KAITO InferenceSet",
    table: kaitoInferenceSetTable,
    accepts: isInferenceSet,
    read: readInferenceSet,
  },
  {
    name: "ollama-helm",
    label: "ollama-helm",
    table: ollamaHelmTable,
    accepts: isOllamaHelm,
    read: readOllamaHelm,
  },
  {
    name: "compose",
    label: "Docker Compose",
    table: composeTable,
    accepts: isCompose,
    read: readCompose,
  },
];
