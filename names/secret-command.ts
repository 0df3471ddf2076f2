/** `pulumi config set --secret inference-stacks:huggingFaceToken -s dev` */
export function setSecretCommand(key: string, environment: string): string {
  return `pulumi config set --secret inference-stacks:${key} -s ${environment}`;
}
