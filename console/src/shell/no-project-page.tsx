import { Empty } from '../look/notes.tsx';

export function NoProjectPage() {
  return (
    <main style={{ padding: 16 }}>
      <Empty>You are in no project yet. Ask an admin of your organization to add you to one.</Empty>
    </main>
  );
}
