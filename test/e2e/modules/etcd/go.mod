module inference-stacks/test/e2e/modules/etcd

go 1.26

tool go.etcd.io/etcd/server/v3

require go.etcd.io/etcd/server/v3 v3.6.8
