/** Namespace of a model: each one has its own. */
export function modelNamespaceName(model: string): string {
  return `model-${model}`;
}
