/** Buttons of an empty page that make a dashboard from a built-in template. */
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { Button } from '../look/button.tsx';
import { Actions } from '../look/dialog.tsx';
import { Failure } from '../look/notes.tsx';
import { makeFromTemplate } from './dashboards-data.ts';

const TEMPLATES = { DEFAULT_APP: 'Make a product dashboard', WEBSITE_TRAFFIC: 'Make a website dashboard' };

export function FromTemplate({ projectId }: { projectId: number }) {
  const queries = useQueryClient();
  const navigate = useNavigate();
  const making = useMutation({
    mutationFn: (template: string) => makeFromTemplate(projectId, template),
    async onSuccess({ id }) {
      await navigate({ to: '/project/$projectId/dashboards/$dashboardId', params: { projectId, dashboardId: id } });
      await queries.invalidateQueries({ queryKey: ['dashboards', projectId, 'list'] });
    },
  });
  return (
    <>
      <Actions>
        {Object.entries(TEMPLATES).map(([template, label], index) => (
          <Button
            key={template}
            kind={index === 0 ? 'primary' : 'plain'}
            isPending={making.isPending && making.variables === template}
            isDisabled={making.isPending}
            onPress={() => making.mutate(template)}
          >
            {label}
          </Button>
        ))}
      </Actions>
      {making.isError && <Failure error={making.error} />}
    </>
  );
}
