/**
 * The cluster cannot be asked: kubeconfig, network, TLS, credentials or timeout. The message is for
 * users.
 */
export class NotAsked extends Error {
  constructor(
    message: string,
    /** Most likely first. */
    readonly remedies: readonly string[],
  ) {
    super(message);
  }
}
