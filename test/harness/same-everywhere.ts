/**
 * Tests of `npm test` run alike on every machine: what a user's shell exports for the programs of this project is not theirs.
 * The SDK reads KUBECONFIG; gRPC and fetch send even requests to this machine through a proxy.
 */
const AMBIENT = /^(KUBECONFIG|PULUMI_.*|AWS_.*|OCI_.*|HF_.*|(https?|all|grpc|no)_proxy)$/i;

for (const name of Object.keys(process.env)) {
  if (AMBIENT.test(name)) {
    delete process.env[name];
  }
}
