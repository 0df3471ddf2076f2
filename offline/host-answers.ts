/** Simulated output of the scripts in components/cluster/k3s. */
const ANSWERS: Readonly<Record<string, (render: number) => object>> = {
  "host-checks check": (render) => ({ machine: "x86_64", deviceGroups: [render] }),
  "k3s install": () => ({}),
  "kubeconfig read": () => ({
    clusterIdentifier: "00000000-0000-4000-8000-000000000000",
    kubeconfig: Buffer.from(
      JSON.stringify({
        apiVersion: "v1",
        kind: "Config",
        clusters: [
          { name: "default", cluster: { server: "https://127.0.0.1:6443", "certificate-authority-data": "" } },
        ],
        contexts: [{ name: "default", context: { cluster: "default", user: "default" } }],
        "current-context": "default",
        users: [{ name: "default", user: {} }],
      }),
    ).toString("base64"),
  }),
};

/** Id of the group `render`, which varies by machine. */
const RENDER = 992;

/**
 * Output of a script run on a machine.
 *
 * @param render id of the group that owns the GPUs.
 * @throws Error for an unknown script: an invented answer proves nothing.
 */
export function answerOfHost({ create }: Readonly<Record<string, unknown>>, render = RENDER): string {
  const asked = /^sh (-s|-c .*) (?<asked>[a-z0-9-]+ [a-z0-9-]+)$/.exec(String(create))?.groups?.asked ?? "";
  const answer = Object.hasOwn(ANSWERS, asked) ? ANSWERS[asked] : undefined;
  if (answer === undefined) {
    throw new Error(`the offline run has no answer for the command ${JSON.stringify(create)} on a machine`);
  }
  return JSON.stringify(answer(render));
}
