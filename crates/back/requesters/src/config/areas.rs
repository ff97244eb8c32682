//! From `[http]` to an operation whose structures have data areas: members of the JSON are found in the structures, and what
//! cannot be is reported with its place.

use channel::{Interface, MemberForm};
use http::{HeaderMap, Method};
use remote::PathTemplate;
use toml::Spanned;

use super::operation::{OperationReader, Read};
use super::written::{AnswerSection, BodyWord, HttpSection, OutMoveSection};
use crate::areas::{AreaOperation, AreaParameter, AreaRequest, AreaResponse, MemberPath};
use crate::records::Body;
use crate::statuses::Statuses;

/// The structures of an operation.
#[derive(Debug)]
pub struct Structures {
    /// The request; none if it has no data.
    pub request: Option<Interface>,
    /// The response, with a member for each status that has a body.
    pub response: Option<Interface>,
}

impl OperationReader<'_, '_> {
    /// The operation, or none if there are faults, which are then reported.
    pub fn area_operation(
        &mut self,
        section: &Spanned<HttpSection>,
        structures: Structures,
    ) -> Option<AreaOperation> {
        let http = section.get_ref();
        if http.responses.is_empty() {
            self.at(section, "expected responses: an operation with data areas has one for each status");
            return None;
        }
        let request = self.area_request(http, structures.request);
        let responses: Vec<_> = http
            .responses
            .iter()
            .map(|answer| self.area_response(answer, structures.response.as_ref()))
            .collect();
        let responses = responses.into_iter().collect::<Read<Vec<_>>>().ok()?;
        let request = request.ok()?;
        if let Some(structure) = &structures.response {
            self.required_members(structure, (http, &responses))?;
        }
        let responses = self.by_status(http, responses)?;
        Some(AreaOperation { request, responses, response_structure: structures.response })
    }

    /// Every answer must have the members that the schema says all have.
    fn required_members(
        &mut self,
        structure: &Interface,
        (http, responses): (&HttpSection, &[(Statuses, AreaResponse)]),
    ) -> Option<()> {
        for required in structure.required_members() {
            let without = responses.iter().position(|(_, plan)| plan.member.as_deref() != Some(required));
            if let Some(at) = without {
                let message =
                    format!("the schema of answers requires '{required}', which this one does not have");
                self.at(&http.responses[at].get_ref().status, message);
                return None;
            }
        }
        Some(())
    }

    fn area_request(&mut self, section: &HttpSection, structure: Option<Interface>) -> Read<AreaRequest> {
        let method = Method::from(*section.method.get_ref());
        let path = PathTemplate::parse(&format!("{}{}", self.base_path, section.path.get_ref()))
            .map_err(|error| self.at(&section.path, error.to_string()))?;
        let body = self.area_body(section, structure.as_ref())?;
        let form = if body.is_some() { Body::Json } else { Body::None };
        let mut plan = AreaRequest {
            path_members: Vec::new(),
            query: self.query(section)?,
            query_members: Vec::new(),
            headers: HeaderMap::new(),
            header_members: Vec::new(),
            body,
            idempotent: section.idempotent.unwrap_or(method.is_idempotent()),
            structure: None,
            method,
            path,
        };
        plan.headers = self.headers(section, &form)?;
        self.area_moves(section, structure.as_ref(), &mut plan)?;
        plan.structure = structure;
        Ok(plan)
    }

    /// The member that is the body.
    fn area_body(&mut self, section: &HttpSection, structure: Option<&Interface>) -> Read<Option<String>> {
        if let Some(word) = &section.body
            && *word.get_ref() == BodyWord::Record
        {
            return Err(self.at(word, "a structure with data areas cannot be the body as it is"));
        }
        let Some(member) = &section.member else { return Ok(None) };
        let name = member.get_ref();
        match structure.and_then(|structure| structure.member(&[name])) {
            Some(_) => Ok(Some(name.clone())),
            None => Err(self.at(member, format!("the request's schema has no member '{name}'"))),
        }
    }

    fn area_moves(
        &mut self,
        section: &HttpSection,
        structure: Option<&Interface>,
        plan: &mut AreaRequest,
    ) -> Read<()> {
        let mut in_path: Vec<(&str, MemberPath)> = Vec::new();
        for step in &section.r#move {
            let member = self.member_path(step, structure)?;
            let required = step.required;
            match self.place(step)? {
                ("path", name) => {
                    if !plan.path.names().any(|known| known == name) {
                        return Err(self.at(&step.to, format!("the path has no parameter '{name}'")));
                    }
                    in_path.push((name, member));
                }
                ("query", name) => {
                    plan.query_members.push(AreaParameter { name: name.to_owned(), member, required });
                }
                (_, name) => {
                    let name = self.header_name(&step.to, name)?;
                    plan.header_members.push(AreaParameter { name, member, required });
                }
            }
        }
        for name in plan.path.names() {
            let mut found = in_path.iter().filter(|(known, _)| *known == name);
            match (found.next(), found.next()) {
                (Some((_, member)), None) => plan.path_members.push(member.clone()),
                (found, _) => {
                    let many = if found.is_some() { "two members are" } else { "no member is" };
                    let message = format!("{many} moved to the path parameter '{name}'");
                    return Err(self.at(&section.path, message));
                }
            }
        }
        Ok(())
    }

    /// The members that lead to a single value.
    fn member_path(&mut self, step: &OutMoveSection, structure: Option<&Interface>) -> Read<MemberPath> {
        let word = step.from.get_ref();
        let Some(path) = word.strip_prefix('/') else {
            return Err(self.at(&step.from, format!("expected the path of a member, as '/{word}'")));
        };
        let names: Vec<&str> = path.split('/').collect();
        match structure.and_then(|structure| structure.member(&names)) {
            Some(MemberForm::Single) => Ok(MemberPath(names.into_iter().map(str::to_owned).collect())),
            Some(_) => Err(self.at(&step.from, format!("'{word}' is not a single value"))),
            None => Err(self.at(&step.from, format!("the request's schema has no member '{word}'"))),
        }
    }

    fn area_response(
        &mut self,
        section: &Spanned<AnswerSection>,
        structure: Option<&Interface>,
    ) -> Read<(Statuses, AreaResponse)> {
        let answer = section.get_ref();
        let statuses = self.statuses(answer)?;
        let has_fields = answer.record.is_some()
            || answer.status_to.is_some()
            || !(answer.r#move.is_empty() && answer.assign.is_empty());
        if has_fields || answer.body.as_ref().is_some_and(|word| *word.get_ref() == BodyWord::Record) {
            let message =
                "a response with data areas has a status and a member: the structure has no other fields";
            return Err(self.at(section, message));
        }
        let Some(member) = &answer.member else { return Ok((statuses, AreaResponse { member: None })) };
        let name = member.get_ref();
        match structure.and_then(|structure| structure.member(&[name])) {
            Some(_) => Ok((statuses, AreaResponse { member: Some(name.clone()) })),
            None => Err(self.at(member, format!("the response's schema has no member '{name}'"))),
        }
    }
}
