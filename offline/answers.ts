/** What the providers of an offline run answer. */
export interface ProviderAnswers {
  /** Result of a provider function. Throws for a function it does not know: an invented answer proves nothing. */
  call(token: string, inputs: unknown): Record<string, unknown>;
  /** Outputs of a resource besides its inputs. */
  state(type: string, name: string, inputs: Readonly<Record<string, unknown>>): Record<string, unknown>;
}

/** Recognizable stand-in for a value that only a real provider can make. It never leaves an offline run. */
function generated(name: string): string {
  return `offline-${name}`;
}

export const defaultAnswers: ProviderAnswers = {
  call(token) {
    throw new Error(`the offline run has no answer for the provider function ${token}`);
  },
  state(type, name, inputs) {
    switch (type) {
      case "random:index/randomPassword:RandomPassword":
        return { ...inputs, result: generated(name), bcryptHash: generated(name) };
      case "random:index/randomId:RandomId":
        return { ...inputs, hex: generated(name), b64Url: generated(name) };
      default:
        return { ...inputs };
    }
  },
};
