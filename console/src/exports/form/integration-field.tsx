/** Choice of an integration, whose credentials then need not be typed here. */
import { useQuery } from '@tanstack/react-query';
import { api, unwrap } from '../../api/client.ts';
import { Select } from '../../look/select.tsx';
import { formatTime } from '../../look/time.tsx';
import type { DestinationType } from './destination-types.ts';
import { useProblem } from './problem.ts';

type IntegrationProps = {
  projectId: number;
  type: DestinationType;
  value: number | null;
  onChange: (id: number | null) => void;
};

const OWN = 'own';
const LIMIT = 100;

/** Renders nothing if there is nothing to choose, or if the viewer may not see integrations. */
export function IntegrationField({ projectId, type, value, onChange }: IntegrationProps) {
  const problem = useProblem();
  const { data } = useQuery({
    queryKey: ['integrations', projectId],
    queryFn: ({ signal }) =>
      unwrap(
        api.GET('/api/environments/{project_id}/integrations/', {
          params: { path: { project_id: projectId }, query: { limit: LIMIT } },
          signal,
        }),
      ),
    enabled: type.integration !== null,
    retry: false,
  });
  if (!type.integration) return null;
  const { kind, fields } = type.integration;
  const fitting = (data?.results ?? []).filter((one) => one.kind === kind);
  if (fitting.length === 0 && value === null) return null;
  const known = fitting.some(({ id }) => id === value);
  return (
    <Select
      label="Credentials"
      options={[
        { value: OWN, label: 'Entered here' },
        ...fitting.map(({ id, config, created_at }) => ({
          value: String(id),
          label: [`Integration ${id}`, ...Object.values(config).filter((part) => typeof part === 'string')].join(', '),
          description: `Created ${formatTime(created_at)}`,
        })),
        ...(value !== null && !known ? [{ value: String(value), label: `Integration ${value}` }] : []),
      ]}
      value={value === null ? OWN : String(value)}
      onChange={(chosen) => onChange(chosen === OWN ? null : Number(chosen))}
      description={
        value === null
          ? undefined
          : `It provides ${fields.map((name) => titleOf(type, name)).join(', ')}. Changing its secrets affects every export that uses it.`
      }
      error={problem.at('destination__integration')}
    />
  );
}

function titleOf(type: DestinationType, name: string): string {
  return (type.fields.find((one) => one.name === name)?.title ?? name).toLowerCase();
}
