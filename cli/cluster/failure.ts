/** A cluster cannot be asked: the kubeconfig, the network, TLS, credentials or the time. The message is for a person. */
export class NotAsked extends Error {
  constructor(
    message: string,
    /** What to do about it, most likely first. */
    readonly remedies: readonly string[],
  ) {
    super(message);
  }
}
