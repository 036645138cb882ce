/** The Helm chart, as Helm makes it. It is not applied: there is no cluster on the machines that run tests. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { loadAll } from 'js-yaml';
import { Environment } from '../../src/platform/config.ts';
import { needsProgram, ROOT, unknownVariables, type Program } from '../support/deploy.ts';

const CHART = path.join(ROOT, 'deploy/helm/sluice');
const REQUIRED = ['sluice.publicUrl=https://sluice.example.com', 'sluice.temporal.address=temporal:7233'];
/** Helm, built by Go, knows no version of Kubernetes. */
const KUBERNETES = ['--kube-version', '1.30.0'];
const ROLES = ['api', 'migrate', 'worker'];

type Probe = { httpGet: { path: string; port: string } };
type Container = {
  args: string[];
  image: string;
  env: { name: string; value: string }[];
  ports?: { name: string; containerPort: number }[];
  securityContext: Record<string, unknown>;
  volumeMounts: { name: string; mountPath: string; readOnly?: boolean }[];
  resources: { requests: object; limits: object };
  livenessProbe?: Probe;
  readinessProbe?: Probe;
  startupProbe?: Probe;
};
type Pod = {
  containers: [Container];
  securityContext: Record<string, unknown>;
  automountServiceAccountToken: boolean;
  volumes: { name: string; secret?: { secretName: string; defaultMode: number } }[];
};
type Manifest = {
  kind: string;
  metadata: { name: string; annotations?: Record<string, string> };
  spec: {
    replicas: number;
    selector?: { matchLabels: Record<string, string> };
    template: { metadata: { labels: Record<string, string> }; spec: Pod };
    tls?: { hosts: string[]; secretName: string }[];
  };
};

const podsOf = (all: Manifest[]) => all.filter(({ kind }) => ['Deployment', 'Job'].includes(kind));
const environmentOf = ({ spec }: Manifest) =>
  Object.fromEntries(spec.template.spec.containers[0].env.map(({ name, value }) => [name, value]));
const kinds = (all: Manifest[]) => all.map(({ kind }) => kind).sort();

describe('the Helm chart', function () {
  let helm: Program;
  before(async function () {
    helm = await needsProgram(this, 'helm', 'go install helm.sh/helm/v3/cmd/helm@v3.19.5');
  });

  function manifests(...settings: string[]): Manifest[] {
    const sets = [...REQUIRED, ...settings].flatMap((one) => ['--set', one]);
    const { status, stdout, stderr } = helm('template', 'test', CHART, ...KUBERNETES, ...sets);
    assert.equal(status, 0, stderr);
    return loadAll(stdout) as Manifest[];
  }

  const refused = (...words: string[]) => helm('template', 'test', CHART, ...KUBERNETES, ...words).stderr;

  it('is one that Helm finds nothing wrong with', () => {
    const { status, stdout } = helm('lint', '--strict', CHART, ...REQUIRED.flatMap((one) => ['--set', one]));
    assert.equal(status, 0, stdout);
  });

  it('requires the addresses without which nothing works, and refuses unknown settings and secrets among the variables', () => {
    assert.match(refused(), /(?=[^]*publicUrl)[^]*temporal\/address/);
    const required = REQUIRED.flatMap((one) => ['--set', one]);
    assert.match(refused(...required, '--set', 'sluice.environment.DATABASE_URL=postgres://x'), /DATABASE_URL/);
    assert.match(refused(...required, '--set', 'sluice.temporal.adress=x'), /adress/);
    for (const misspelled of ['worker.replica', 'apis', 'image.tags'])
      assert.match(refused(...required, '--set', `${misspelled}=1`), new RegExp(misspelled.split('.').at(-1)!));
  });

  it('runs each role unprivileged, on a file system that it cannot write, with its secrets as files', () => {
    const pods = podsOf(
      manifests('sluice.mail=true', 'sluice.traces.headers=true', 'sluice.traces.endpoint=https://otlp.example.com'),
    );
    assert.deepEqual(pods.map(({ spec }) => spec.template.spec.containers[0].args[0]!).sort(), ROLES);
    for (const { spec } of pods) {
      const { containers, securityContext, volumes, automountServiceAccountToken } = spec.template.spec;
      const [{ securityContext: own, volumeMounts, resources }] = containers;
      assert.equal(automountServiceAccountToken, false);
      assert.equal(securityContext['runAsNonRoot'], true);
      assert.equal(securityContext['runAsUser'], 1000);
      assert.deepEqual(own, {
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ['ALL'] },
      });
      assert.deepEqual(Object.keys(resources).sort(), ['limits', 'requests']);
      assert.equal(volumes.find(({ name }) => name === 'secrets')?.secret?.secretName, 'sluice');
      assert.equal(volumes.find(({ name }) => name === 'secrets')?.secret?.defaultMode, 0o440);
      assert.deepEqual(volumeMounts.find(({ name }) => name === 'secrets')?.mountPath, '/run/secrets/sluice');
    }
    for (const pod of pods) {
      const environment = environmentOf(pod);
      const secrets = Object.keys(environment).filter((name) =>
        /PASSWORD|SECRET|KEY|DATABASE_URL|SMTP|HEADERS/.test(name),
      );
      assert.deepEqual(secrets, [
        'DATABASE_URL_FILE',
        'SLUICE_ENCRYPTION_KEYS_FILE',
        'SMTP_URL_FILE',
        'OTEL_EXPORTER_OTLP_HEADERS_FILE',
      ]);
      assert.equal(environment['OTEL_EXPORTER_OTLP_ENDPOINT'], 'https://otlp.example.com');
      for (const name of secrets) assert.match(environment[name]!, /^\/run\/secrets\/sluice\//);
    }
  });

  it('sets variables that exist, and those that an operator adds', () => {
    const [first] = podsOf(
      manifests('sluice.environment.MAIL_FROM=sluice@example.com', 'sluice.temporal.uiUrl=https://ui.example.com'),
    );
    const environment = environmentOf(first!);
    assert.deepEqual(unknownVariables(Object.keys(environment)), []);
    assert.equal(environment['MAIL_FROM'], 'sluice@example.com');
    const schema = JSON.parse(readFileSync(path.join(CHART, 'values.schema.json'), 'utf8')) as {
      properties: { sluice: { properties: { environment: { propertyNames: { not: { enum: string[] } } } } } };
    };
    const secrets = schema.properties.sluice.properties.environment.propertyNames.not.enum;
    for (const name of secrets) assert.ok(Object.hasOwn(Environment.properties, name), name);
  });

  it('probes what each role answers, and lets an API without Temporal capture', () => {
    const byRole = new Map(podsOf(manifests()).map((one) => [one.spec.template.spec.containers[0].args[0], one]));
    const probesOf = (role: string) => {
      const { livenessProbe, readinessProbe, ports } = byRole.get(role)!.spec.template.spec.containers[0];
      const port = (probe?: Probe) => ports!.find(({ name }) => name === probe!.httpGet.port)!.containerPort;
      return [livenessProbe, readinessProbe].map((probe) => `${port(probe)}${probe!.httpGet.path}`);
    };
    assert.deepEqual(probesOf('api'), ['8000/_livez', '8000/_livez']);
    assert.deepEqual(probesOf('worker'), ['9464/_livez', '9464/_readyz']);
    for (const role of ['api', 'worker']) {
      const { selector, template } = byRole.get(role)!.spec;
      assert.deepEqual(selector!.matchLabels, template.metadata.labels);
    }
  });

  it('migrates before it installs and before it upgrades', () => {
    const job = manifests().find(({ kind }) => kind === 'Job');
    assert.equal(job!.metadata.annotations!['helm.sh/hook'], 'pre-install,pre-upgrade');
  });

  it('counts the processes that run while it replaces them', () => {
    const environment = environmentOf(podsOf(manifests('api.replicas=4', 'worker.replicas=7'))[0]!);
    assert.equal(environment['SLUICE_API_PROCESSES'], '5');
    assert.equal(environment['SLUICE_WORKER_PROCESSES'], '8');
  });

  it('has an Ingress if it is wanted', () => {
    const usual = ['Deployment', 'Deployment', 'Job', 'PodDisruptionBudget', 'Service'];
    assert.deepEqual(kinds(manifests()), usual);
    const all = manifests(
      'api.ingress.enabled=true',
      'api.ingress.host=s.example.com',
      'api.ingress.tlsSecret=certificate',
    );
    const ingress = all.find(({ kind }) => kind === 'Ingress')!;
    assert.deepEqual(ingress.spec.tls, [{ hosts: ['s.example.com'], secretName: 'certificate' }]);
  });
});
