/** Type token of Helm releases, whose chart the program does not see, only its values. */
export const HELM_RELEASE = "kubernetes:helm.sh/v3:Release";

/** Type token of Pulumi's Kubernetes provider: a program has one for its cluster. */
export const KUBERNETES_PROVIDER = "pulumi:providers:kubernetes";

/** Whether a resource of Pulumi's Kubernetes provider is an object of its own, rather than a chart. */
export function isObjectType(type: string): boolean {
  return type.startsWith("kubernetes:") && !isChartType(type);
}

/** Helm releases and charts of all generations of the provider. */
export function isChartType(type: string): boolean {
  return type.startsWith("kubernetes:helm.sh/");
}
