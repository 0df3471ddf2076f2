/** The part of autocannon 8.0.0 that is used here; the package has no types. Source: its README and lib/run.js. */
declare module "autocannon" {
  export interface Options {
    readonly url: string;
    readonly connections: number;
    /** Seconds. */
    readonly duration: number;
    /** Milliseconds between looks at the clock: the run ends with one of them. */
    readonly sampleInt: number;
    readonly headers: Readonly<Record<string, string>>;
    /** Each connection sends them in turn. */
    readonly requests: readonly { readonly path: string }[];
  }

  export interface Result {
    readonly errors: number;
    readonly timeouts: number;
    readonly non2xx: number;
  }

  export interface Run extends PromiseLike<Result> {
    /** @param milliseconds from the request to the end of its answer. */
    on(
      event: "response",
      listener: (connection: object, status: number, bytes: number, milliseconds: number) => void,
    ): this;
  }

  export default function autocannon(options: Options): Run;
}
