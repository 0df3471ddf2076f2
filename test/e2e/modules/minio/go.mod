module inference-stacks/test/e2e/modules/minio

go 1.26

tool github.com/minio/minio

require github.com/minio/minio v0.0.0-20260212201848-7aac2a2c5b7c
