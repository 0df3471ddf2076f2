import { describe, expect, it } from "vitest";
import { parseWith, problemsWith, rightEnvironment } from "./samples";

const { gateway } = rightEnvironment;

describe("gateway.hostname", () => {
  it.each([
    ["https://Inference.Example.com/v1", "Write inference.example.com."],
    ["inference.example.com:443", "Write inference.example.com."],
    ["INFERENCE.example.com.", "Write inference.example.com."],
    ["10.0.0.5", "Write for example inference.example.com."],
    ["https://10.0.0.5/v1", "Write for example inference.example.com."],
    ["localhost", "Write for example inference.example.com."],
    ["my_host.example.com", "Write for example inference.example.com."],
  ])('is not "%s"', (hostname, fix) => {
    const problems = problemsWith({ gateway: { ...gateway, hostname } });
    expect(problems.map(({ path }) => path)).toEqual(["gateway.hostname"]);
    expect(problems[0]?.message).toContain("allowed: a lower-case DNS name with at least one dot, no IP address");
    expect(problems[0]?.message).toMatch(new RegExp(`${fix.replaceAll(".", "\\.")}$`));
  });

  it.each(["a.example.com", "10.example.com", "xn--bcher-kva.example", "inference.example.com"])(
    "is %s",
    (hostname) => {
      expect(parseWith({ gateway: { ...gateway, hostname } }).ok).toBe(true);
    },
  );
});

describe("networks of the cluster", () => {
  it.each(["0.0.0.0/0", "::/0", "10.0.0.0", "::ffff:10.0.0.0/104", "ten"])("privateCidrs do not take %s", (cidr) => {
    const problems = problemsWith({ cluster: { kind: "oci", privateCidrs: ["10.0.0.0/8", cidr] } });
    expect(problems.map(({ path }) => path)).toEqual(["cluster.privateCidrs[1]"]);
    expect(problems[0]?.message).toContain('but not all addresses ("/0")');
  });

  it.each(["0.0.0.0/0", "169.254.169.254/32", "169.254.0.0/16", "fd00:ec2::254/128"])(
    "apiServerCidrs do not take %s",
    (cidr) => {
      const problems = problemsWith({ cluster: { kind: "oci", apiServerCidrs: [cidr] } });
      expect(problems.map(({ path }) => path)).toEqual(["cluster.apiServerCidrs[0]"]);
    },
  );

  it("may be of both families", () => {
    const cidrs = ["10.96.0.0/12", "192.0.2.7/32", "fd00::/8", "2001:db8::/32"];
    expect(parseWith({ cluster: { kind: "oci", privateCidrs: cidrs, apiServerCidrs: cidrs } }).ok).toBe(true);
  });
});

describe("settings of OCI's load balancer", () => {
  const LB = "service.beta.kubernetes.io/oci-load-balancer-internal";
  const NLB = "oci-network-load-balancer.oraclecloud.com/internal";
  const TYPE = "oci.oraclecloud.com/load-balancer-type";

  it.each([
    [{ [TYPE]: "nlb", [LB]: "true" }, LB],
    [{ [TYPE]: "lb", [NLB]: "true" }, NLB],
    [{ [LB]: "true", [NLB]: "true" }, NLB],
  ])("are refused where the one that is made does not read them: %j", (serviceAnnotations, unread) => {
    const problems = problemsWith({ gateway: { ...gateway, serviceAnnotations } });
    expect(problems.map(({ path }) => path)).toEqual([`gateway.serviceAnnotations["${unread}"]`]);
    expect(problems[0]?.message).toContain("Name the kind that you mean");
  });

  it.each([{ [LB]: "true" }, { [NLB]: "true" }, { [TYPE]: "nlb" }])("are taken: %j", (serviceAnnotations) => {
    expect(parseWith({ gateway: { ...gateway, serviceAnnotations } }).ok).toBe(true);
  });
});
