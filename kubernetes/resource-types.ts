/** Type token of Helm releases, of which programs see only values. */
export const HELM_RELEASE = "kubernetes:helm.sh/v3:Release";

/** Type token of the Kubernetes provider; a program has one per cluster. */
export const KUBERNETES_PROVIDER = "pulumi:providers:kubernetes";

/** Whether a resource of the Kubernetes provider is an object, not a chart. */
export function isObjectType(type: string): boolean {
  return type.startsWith("kubernetes:") && !isChartType(type);
}

/** Helm releases and charts of all provider versions. */
export function isChartType(type: string): boolean {
  return type.startsWith("kubernetes:helm.sh/");
}
