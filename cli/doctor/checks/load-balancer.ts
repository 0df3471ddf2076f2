import { type Check, failed, judged, passed, unknown, warning } from "./check";
import { namesOf } from "./controllers";

const CONTROLLER = /(^|\/)aws-load-balancer-controller(:v?(\d+)\.(\d+))?/;
/** Listener attributes, of which the idle timeout is one: its release notes. */
const OLDEST = { major: 2, minor: 9 } as const;
const INSTALL = "https://docs.aws.amazon.com/eks/latest/userguide/lbc-helm.html";

/** Gives the gateway's Service its address on an EKS cluster that exists; clusters of this stack have their own. */
export const awsLoadBalancers: Check = ({ deployments }, { awsLoadBalancer }) =>
  awsLoadBalancer
    ? [
        judged(
          {
            check: "load-balancer",
            title: "AWS Load Balancer Controller",
            needed: `${OLDEST.major}.${OLDEST.minor} or later, for the gateway's Service`,
          },
          deployments,
          (all) => {
            const found = all.flatMap((workload) =>
              workload.containers.flatMap(({ image }) => {
                const match = CONTROLLER.exec(image);
                return match === null ? [] : [{ workload, major: Number(match[3]), minor: Number(match[4]) }];
              }),
            );
            const [first] = found;
            if (first === undefined) {
              return failed(
                "there is none: the gateway's Service would get no address",
                `install it: ${INSTALL}`,
                "EKS Auto Mode: its own is no Deployment and was not tried, so install this one too",
                "or gateway.exposure: ClusterIP, for calls through kubectl port-forward",
              );
            }
            const name = namesOf([first.workload]);
            if (Number.isNaN(first.major)) {
              return unknown(`${name}, of a version that its image does not state`, "look yourself: helm list -A");
            }
            const version = `${name} ${first.major}.${first.minor}`;
            return first.major > OLDEST.major || (first.major === OLDEST.major && first.minor >= OLDEST.minor)
              ? passed(version)
              : warning(
                  `${version}, which does not set the idle timeout: silent streams end after 350 seconds`,
                  `upgrade it: ${INSTALL}`,
                );
          },
        ),
      ]
    : [];
