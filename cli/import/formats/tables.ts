/** The table of fields of each format. */
import { FieldTable } from "../field-table";
import compose from "../fields/compose.json";
import kaitoInferenceSet from "../fields/kaito-inference-set.json";
import kaito from "../fields/kaito-workspace.json";
import kserveInferenceService from "../fields/kserve-inference-service.json";
import kserveLlmInferenceService from "../fields/kserve-llm-inference-service.json";
import kubeai from "../fields/kubeai-model.json";
import ociRecipe from "../fields/oci-recipe.json";
import ollamaHelm from "../fields/ollama-helm.json";
import productionStack from "../fields/production-stack.json";

export const ociRecipeTable = new FieldTable(ociRecipe);
export const productionStackTable = new FieldTable(productionStack);
export const kserveInferenceServiceTable = new FieldTable(kserveInferenceService);
export const kserveLlmInferenceServiceTable = new FieldTable(kserveLlmInferenceService);
export const kubeaiTable = new FieldTable(kubeai);
export const kaitoTable = new FieldTable(kaito);
export const kaitoInferenceSetTable = new FieldTable(kaitoInferenceSet);
export const ollamaHelmTable = new FieldTable(ollamaHelm);
export const composeTable = new FieldTable(compose);
