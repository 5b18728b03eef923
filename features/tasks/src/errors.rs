//! Errors of this feature.

kit::error_codes! {
    TASKS_DISABLED = 403 "tasks-disabled" "Tasks are off" : "The setting tasksEnabled is off. Turn it on to use tasks.";
    TASK_CYCLE = 409 "task-cycle" "Task would be below itself" : "A task can't be moved below itself or one of its subtasks. Choose another parent.";
    TASKS_TOO_DEEP = 409 "tasks-too-deep" "Tasks nested too deeply" : "Tasks can be nested up to 20 levels. Choose a parent further up.";
    TASK_EXISTS = 409 "task-exists" "Task exists" : "A task has this ID already. Leave `id` out, or use another one.";
    TASK_DELETED = 409 "task-deleted" "Task was deleted" : "The task is deleted. Restore it to change it.";
    CAUGHT_SETTLED = 409 "caught-settled" "Follow-up was settled" : "The follow-up was accepted or dismissed already. Restore it first.";
    TASK_NOT_DELETED = 409 "task-not-deleted" "Task isn't deleted" : "Only a deleted task can be restored.";
}
